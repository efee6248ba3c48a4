#!/usr/bin/env bash
# Clients that name themselves by a document, against the real server, which fetches
# documents from public addresses alone and knows no switch for others. So they meet
# in a network of their own: public addresses on the loopback device, names in a
# hosts file, and a CA of its own. Nothing can leave it.
# The documents of vendors are replicas, served under the vendors' names.
# usage: namespace.sh FOLDER; exit 77: something was skipped
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

loudly() { printf '\n!!!!!!!!!! SKIPPED: %s\n\n' "$*" >&2; }

if [ -z "${BIKETRIP_INSIDE:-}" ]; then
  enter=(unshare --net --mount)
  [ "$(id -u)" = 0 ] && "${enter[@]}" true 2>/dev/null || enter=(unshare --user --map-root-user --net --mount)
  "${enter[@]}" true || { loudly 'no namespaces are permitted here, and so no document of a client was fetched'; exit 77; }
  mkdir -p "$folder"
  BIKETRIP_INSIDE=1 exec "${enter[@]}" "./$(basename "$0")" "$folder"
fi

cd "$folder"
agents=$OLDPWD
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait' EXIT

# The addresses at which something answers: two public ones, and three that no
# document may come from, so that what is refused is refused for what it is.
ip link set lo up
for address in 93.184.216.34/32 10.1.2.3/32 169.254.169.254/32; do ip addr add "$address" dev lo; done
ip -6 addr add 2606:4700::1111/128 dev lo nodad
cat > hosts <<'H'
127.0.0.1 localhost
93.184.216.34 trips.example.org agents.example.org claude.ai chatgpt.com
2606:4700::1111 six.example.org
127.0.0.1 loopback.example.org
10.1.2.3 private.example.org
169.254.169.254 metadata.example.org
H
printf 'hosts: files\n' > nsswitch.conf
mount --bind hosts /etc/hosts
mount --bind nsswitch.conf /etc/nsswitch.conf

names=$(awk 'NR > 1 { for (i = 2; i <= NF; i++) printf ",DNS:%s", $i }' hosts)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=CA of the check' -keyout ca.key -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=check' -keyout leaf.key -out leaf.csr 2>/dev/null
openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -days 2 -out leaf.pem \
  -extfile <(printf 'subjectAltName=%s,IP:127.0.0.1\nextendedKeyUsage=serverAuth' "${names#,}") 2>/dev/null
export SSL_CERT_FILE=$folder/ca.pem SSL_CERT_DIR=/nonexistent NODE_EXTRA_CA_CERTS=$folder/ca.pem
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy

# up FILE waits until what was started last has printed to a file.
up() {
  for _ in $(seq 100); do
    [ -s "$1" ] && return 0
    kill -0 "${started[-1]}" || break
    sleep 0.1
  done
  echo "it does not serve:"
  cat "$folder"/*.log
  exit 1
}

export BIKETRIP_DOCUMENTS=$folder
node=$agents/node_modules/.bin/node
"$node" "$agents/documents.mjs" > documents.log 2>&1 &
started+=($!)
up documents.log

# serve ARGUMENTS... starts the server behind https://trips.example.org anew.
serve() {
  if [ -n "${server:-}" ]; then
    kill "$server"
    wait "$server" || true
  fi
  "$BIKETRIP" serve --db "$folder/biketrip.db" --default-uri "$uri" --listen 127.0.0.1:8080 --tls off "$@" > server.log 2>&1 &
  server=$!
  started+=("$server")
  for _ in $(seq 100); do
    if "$node" -e 'fetch(process.argv[1]).catch(() => process.exit(1))' "http://127.0.0.1:8080/.well-known/oauth-authorization-server"; then return 0; fi
    sleep 0.1
  done
  cat server.log
  exit 1
}

skipped=0
# run AGENT ARGUMENTS... runs one, which says by 77 that it was skipped.
run() {
  local code=0
  echo "-- in the namespace: $*"
  (cd "$agents" && "$node" --disable-warning=ExperimentalWarning "$1.mjs" "${@:2}") || code=$?
  case $code in
    0) ;;
    77) loudly "$*"; skipped=77 ;;
    *) echo '-- server'; tail -n 30 "$folder/server.log"; exit 1 ;;
  esac
}

uri=https://trips.example.org
"$BIKETRIP" user add --db "$folder/biketrip.db" --default-uri "$uri" --json anna@example.org > user.json
export BIKETRIP_DEMO="{\"url\":\"$uri/mcp\",\"user\":\"anna@example.org\",\"db\":\"$folder/biketrip.db\",\"tokens\":{}}"

serve # refuses localhost, since its address is public
run oauth-document
run oauth-remote https://agents.example.org/client.json
# From a public address to a client on this computer.
serve
run browser
serve --oauth-dynamic-registration on
run oauth-remote register
# What was taken once is judged again under another switch.
serve --oauth-localhost-redirects allow
run codex
run claude-code
serve --oauth-localhost-redirects ignore
run codex
run claude-code refused
serve
run codex refused
run claude-code refused
exit "$skipped"
