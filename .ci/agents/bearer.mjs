// A door in front of a server for a client that cannot bring a token: it adds one
// to every request and changes nothing else. What is asked of the door's own name
// is asked of the server's; any other name is left as it is.
// It prints its address.
import { createServer, request } from 'node:http';
import { demo } from './work.mjs';

const { url: server, both } = demo();

const door = createServer((req, res) => {
  const own = `localhost:${door.address().port}`;
  const headers = { ...req.headers, authorization: `Bearer ${both}` };
  if (headers.host === own) headers.host = server.host;
  if (headers.origin === `http://${own}`) headers.origin = server.origin;
  const onward = request({ host: server.hostname, port: server.port, method: req.method, path: req.url, headers, setHost: false }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
});
door.listen(0, 'localhost', () => console.log(`http://localhost:${door.address().port}${server.pathname}`));
