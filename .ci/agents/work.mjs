// What every agent does with a server of the demo, whatever its client: list,
// create, wait, read. Each client hands in its own way to call.
import assert from 'node:assert/strict';

const reads = ['list_trips', 'get_trip', 'get_stage', 'search_places'];
const writes = ['create_trip', 'update_trip_settings', 'edit_stages', 'add_waypoint', 'choose_accommodation', 'analyze_trip', 'share_trip', 'unshare_trip', 'delete_trip'];

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// answer is what a tool answers. The client has held it against the published
// schema; the text must be the same JSON.
async function answer(call, name, args) {
  const result = await call(name, args);
  assert.ok(!result.isError, `${name} answers an error`);
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: text and structure differ`);
  return result.structuredContent;
}

// refused is the error that a call ends with.
async function refused(call, name, args) {
  try {
    await call(name, args);
  } catch (err) {
    return err;
  }
  assert.fail(`${name} is not refused`);
}

// work does the work of an agent that may read and write.
export async function work({ list, call }, title) {
  assert.deepEqual(await list(), [...reads, ...writes]);
  const before = await answer(call, 'list_trips', {});
  const made = await answer(call, 'create_trip', { sourceUrl: 'https://www.komoot.com/tour/990000000101', title, startDate: `${new Date().getUTCFullYear() + 1}-07-01T00:00:00+00:00` });
  assert.match(made.nextAction, new RegExp(`^Call get_trip with id="${made.id}" after `));
  let trip;
  for (let i = 0; ; i++) {
    trip = await answer(call, 'get_trip', { id: made.id });
    if (!trip.partial) break;
    assert.ok(i < 30, 'the days do not come');
    await pause(1000);
  }
  assert.equal(trip.status, 'ready');
  assert.equal(trip.stages.length, 5);
  assert.equal(trip.title, title);
  const day = await answer(call, 'get_stage', { tripId: trip.id, stageId: trip.stages[4].stageId });
  assert.equal(day.dayNumber, 5);
  assert.equal(day.distance, trip.stages[4].distance);
  const after = await answer(call, 'list_trips', { title });
  assert.equal(after.member[0].id, made.id);
  assert.equal((await answer(call, 'list_trips', {})).totalItems, before.totalItems + 1);

  const missing = await refused(call, 'get_trip', { id: 'no-such-trip' });
  assert.equal(missing.code, -32603);
  assert.match(missing.message, /Trip "no-such-trip" was not found\. Call list_trips/);
  assert.equal(missing.data.code, 'trip_not_found');
  const wrong = await refused(call, 'list_trips', { itemsPerPage: 100 });
  assert.equal(wrong.code, -32602);
  assert.match(wrong.message, /"itemsPerPage" must be between 1 and 30, got 100/);
  const unknown = await refused(call, 'get_trips', {});
  assert.equal(unknown.code, -32000);
  assert.equal(unknown.data.scope, null);
}

// read does the work of an agent that may read alone, and gives the error of
// its attempt to write.
export async function read({ list, call }) {
  assert.deepEqual(await list(), reads);
  await answer(call, 'list_trips', {});
  return refused(call, 'create_trip', { sourceUrl: 'https://www.komoot.com/tour/990000000101' });
}

// write does the work of an agent that may write alone.
export async function write({ list, call }) {
  assert.deepEqual(await list(), writes);
  const made = await answer(call, 'create_trip', { sourceUrl: 'https://ridewithgps.com/routes/990000201', title: 'unread' });
  assert.doesNotMatch(made.nextAction, /get_trip/);
}

// demo is what the server of the demo has printed.
export function demo() {
  const d = JSON.parse(process.env.BIKETRIP_DEMO);
  return { url: new URL(d.url), user: d.user, db: d.db, both: d.tokens['trips:read trips:write'], reader: d.tokens['trips:read'], writer: d.tokens['trips:write'] };
}
