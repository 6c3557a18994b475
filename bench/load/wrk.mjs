import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { drawInLua, luaString, sessionInLua, toLua } from './templates.mjs';

/** Runs wrk with a script that makes the requests and prints the result as one line of JSON. */
export async function loadWithWrk(plan, folder) {
  // Two runs may overlap; each has its own seed.
  const script = join(folder, `load-${plan.seed}.lua`);
  writeFileSync(script, toScript(plan));
  const options = ['-t1', `-c${plan.connections}`, `-d${plan.seconds}s`, '--timeout', '10s', '-s', script, plan.url];
  const [command, args] = pinned('load', 'wrk', options);
  const { stdout } = await run(command, args, { timeoutMs: (plan.seconds + 30) * 1000 });
  const line = stdout.split('\n').find((text) => text.startsWith('result '));
  if (!line) throw new Error(`wrk gave no result:\n${stdout}`);
  return JSON.parse(line.slice('result '.length));
}

function toTable(headers) {
  const members = Object.entries(headers).map(([name, value]) => `[${luaString(name)}] = ${toLua(value)}`);
  return `{ ${members.join(', ')} }`;
}

function toScript({ requests, headers, numbers, seed }) {
  const makers = requests.map(({ method, path, headers: own, body }) => {
    const content = body === undefined ? 'nil' : toLua(body);
    const all = own === undefined ? 'nil' : toTable({ ...headers, ...own });
    return `  function(n, r, g, s) return wrk.format(${luaString(method)}, ${toLua(path)}, ${all}, ${content}) end,`;
  });
  return `
math.randomseed(${seed})
for i = 1, 10 do math.random() end
for name, value in pairs(${toTable(headers)}) do wrk.headers[name] = value end
local makers = {
${makers.join('\n')}
}
local n = 0
function request()
  n = n + 1
  local r = ${drawInLua(numbers)}
  return makers[math.random(#makers)](n, r, math.floor(r / ${numbers.perFolder}), ${sessionInLua(numbers)})
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'result {"requests_per_s":%.2f,"p50_ms":%.4f,"p99_ms":%.4f,"requests":%d,"non2xx":%d}\\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.requests, e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}
