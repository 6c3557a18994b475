import { parseArgs } from 'node:util';

/**
 * Sizes of the three stores of entries or events, traces and deliveries, and lengths of runs. A round is short, because other programs on
 * the machine disturb a whole run; what a long run alone can show is repeated less often.
 */
const FULL = {
  small: 10_000,
  medium: 100_000,
  large: 1_000_000,
  fewTraces: 2_000,
  manyTraces: 200_000,
  fewDeliveries: 1_000,
  manyDeliveries: 1_000_000,
  repeats: 15,
  seconds: 1,
  latencySeconds: 5,
  mixedSeconds: 60,
  idleSeconds: 5,
  starts: 9,
  streamSeconds: 30,
  liveSeconds: 60,
  subscribers: 1000,
};
const QUICK = {
  small: 2_000,
  medium: 5_000,
  large: 20_000,
  fewTraces: 1_000,
  manyTraces: 5_000,
  fewDeliveries: 1_000,
  manyDeliveries: 20_000,
  repeats: 3,
  seconds: 1,
  latencySeconds: 2,
  mixedSeconds: 3,
  idleSeconds: 1,
  starts: 7,
  streamSeconds: 3,
  liveSeconds: 5,
  subscribers: 200,
};

export const USAGE = `usage: npm run bench -- [options]

  --quick            small stores and short runs: shows that it works, not how fast it is
  --only a,b         only these figures: FIGURES
  --repeats N        rounds of each figure: floor and service in turns (default 15, quick 3)
  --seconds N        length of one load run within a round (default 1)
  --small N, --medium N, --large N   entries in the stores (default 10,000, 100,000, 1,000,000)
  --postgres         the figures of size on PostgreSQL too
  --generator NAME   wrk or own (default wrk where it is installed)
  --before FOLDER    compare post and outcome with an earlier version of the service, built in this folder
  --keep             leave the stores under bench/.data, to be used again
  --operation TEXT   holds of the operations, or parts of the dashboard (load, lists, live, graph), with this in their name only
  --json FILE        write every measurement
`;

const whole = (name, text, least) => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) throw new Error(`--${name} must be a whole number from ${least}`);
  return number;
};

export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      repeats: { type: 'string' },
      seconds: { type: 'string' },
      small: { type: 'string' },
      medium: { type: 'string' },
      large: { type: 'string' },
      postgres: { type: 'boolean', default: false },
      generator: { type: 'string' },
      before: { type: 'string' },
      keep: { type: 'boolean', default: false },
      operation: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const sizes = values.quick ? QUICK : FULL;
  const repeats = values.repeats === undefined ? sizes.repeats : whole('repeats', values.repeats, 1);
  const given = ['small', 'medium', 'large', 'seconds'].filter((name) => values[name] !== undefined);
  return {
    ...values,
    ...sizes,
    ...Object.fromEntries(given.map((name) => [name, whole(name, values[name], name === 'seconds' ? 1 : 1000)])),
    repeats,
    longRepeats: Math.min(repeats, 3),
    only: values.only?.split(',').map((name) => name.trim()),
  };
}
