import { fileURLToPath } from 'node:url';
import { compare } from '../compare.mjs';
import { serviceEnv } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { program } from '../places.mjs';
import { environment, freePort, run } from '../processes.mjs';

const probe = fileURLToPath(new URL('./start-probe.mjs', import.meta.url));

/** From the start of the process to its first answer, against a minimal server. */
export async function* measureStart(harness) {
  const { medium, starts, repeats } = harness.options;
  const store = await harness.sqlite(medium);
  const time = async (commandLine, envOf) => {
    const port = await freePort();
    const [command, args] = pinned('server', process.execPath, commandLine);
    const order = JSON.stringify({ command, args, port });
    const [probing, probeArgs] = pinned('load', process.execPath, [probe, order]);
    const { stdout } = await run(probing, probeArgs, { env: environment(envOf(port)), timeoutMs: 60_000 });
    return { value: JSON.parse(stdout).ms };
  };
  const floor = () => time([harness.programs.health], (port) => ({ FLOOR_PORT: String(port) }));
  const ours = () => time([program, 'serve'], (port) => serviceEnv(store, port));
  for (const warm of [floor, ours]) await warm();
  const result = await compare(Math.max(starts, repeats), floor, ours);
  const figure = `start to first answer, ${medium.toLocaleString('en-US')} entries`;
  yield { figure, unit: 'ms', target: { most: 2.5 }, ...result, note: `${Math.max(starts, repeats)} starts each` };
}
