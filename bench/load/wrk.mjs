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

/**
 * wrk adds latencies that it did not measure: for each long one those of the requests that a client would have sent
 * meanwhile ("coordinated omission"). This takes them out again, from the longest to the shortest, as wrk put them in.
 */
const MEASURED_LATENCIES = `
local function measured(latency, summary, connections)
  local values, counts, sum = {}, {}, 0
  for i = 1, #latency do
    values[i], counts[i] = latency(i)
    sum = sum + counts[i]
  end
  if sum <= summary.requests then return values, counts, sum end
  local interval = math.floor(summary.duration / math.floor(summary.requests / connections))
  local added = {}
  sum = 0
  for i = #values, 1, -1 do
    local place = values[i] % interval
    if values[i] > interval then counts[i] = counts[i] - (added[place] or 0) end
    if values[i] >= 2 * interval then added[place] = (added[place] or 0) + counts[i] end
    sum = sum + counts[i]
  end
  return values, counts, sum
end
local function percentile(values, counts, rank)
  for i = 1, #values do
    rank = rank - counts[i]
    if rank < 0 then return values[i] / 1000 end
  end
  return (values[#values] or 0) / 1000
end`;

function toTable(headers) {
  const members = Object.entries(headers).map(([name, value]) => `[${luaString(name)}] = ${toLua(value)}`);
  return `{ ${members.join(', ')} }`;
}

function toScript({ requests, headers, numbers, seed, connections }) {
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
${MEASURED_LATENCIES}
function done(summary, latency)
  local e = summary.errors
  local values, counts, sum = measured(latency, summary, ${connections})
  io.write(string.format(
    'result {"requests_per_s":%.2f,"p50_ms":%.4f,"p99_ms":%.4f,"requests":%d,"measured":%d,"non2xx":%d}\\n',
    summary.requests / summary.duration * 1e6, percentile(values, counts, sum * 0.5), percentile(values, counts, sum * 0.99),
    summary.requests, sum, e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}
