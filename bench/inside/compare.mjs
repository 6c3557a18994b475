// Times two ways to do the same against each other, by processor time, which other programs on the machine distort
// little. The first argument of the command is a part of the names to measure.
const ROUNDS = 25;
const ROUND_MS = 8;
export const wanted = process.argv[2] ?? '';

function timeOf(run, calls) {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) run(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Runs both in turns, and prints the best round of each. */
export function compare(name, plain, trick) {
  if (!name.includes(wanted)) return;
  let calls = 1;
  while (timeOf(plain, calls) * calls < ROUND_MS * 1000 && calls < 1 << 20) calls *= 2;
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, run] of (round % 2 ? [plain, trick] : [trick, plain]).entries()) {
      const at = round % 2 ? i : 1 - i;
      best[at] = Math.min(best[at], timeOf(run, calls));
    }
  const [slow, fast] = best;
  console.log(
    `${name.padEnd(52)} plain ${slow.toFixed(3).padStart(9)}  trick ${fast.toFixed(3).padStart(9)}  × ${(slow / fast).toFixed(2)}`,
  );
}

let kept;
/** Uses a result, so that the engine cannot leave out the work. */
export const keep = (value) => {
  kept = value;
};

export const hasKept = () => kept !== undefined;
