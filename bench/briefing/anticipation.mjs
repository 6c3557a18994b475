// How reliable the anticipation of briefings is, on sequences that no constant was chosen on. Run it by hand:
//   node --conditions=source --import tsx bench/briefing/anticipation.mjs [--choose] [--json]
// With --choose it reports the sequences to choose constants on instead.
import { parseArgs } from 'node:util';
import { predicted, reliabilityOf } from './reliability.mjs';
import { madeSequences, recordedSessions } from './sequences.mjs';

const { values } = parseArgs({ options: { choose: { type: 'boolean' }, json: { type: 'boolean' } } });
const seeds = values.choose ? [1, 2, 3] : [101, 102, 103, 104, 105, 106];
const recorded = recordedSessions();
const half = recorded.length / 2;

const sets = new Map();
for (const { name, sessions } of madeSequences(seeds))
  sets.set(`made: ${name}`, [...(sets.get(`made: ${name}`) ?? []), ...predicted(sessions)]);
sets.set('made: all', [...sets.values()].flat());
sets.set(
  'made: never read before',
  sets.get('made: all').filter(({ isKnown }) => !isKnown),
);
sets.set('recorded', [...predicted(values.choose ? recorded.slice(0, half) : recorded.slice(half))]);

const figures = new Map([...sets].map(([name, cases]) => [name, reliabilityOf(cases)]));
if (values.json) console.log(JSON.stringify(Object.fromEntries(figures)));
else for (const [name, figure] of figures) print(name, figure);

function print(name, { cases, error, brier, skill, bins }) {
  const [e, b, s] = [error, brier, skill].map((figure) => figure.toFixed(3));
  console.log(`${name}: ${cases} chances, calibration error ${e}, Brier ${b}, skill ${s}`);
  if (name === 'made: all' || name === 'recorded')
    for (const bin of bins)
      console.log(`  predicted ${bin.predicted.toFixed(2)}, read ${bin.read.toFixed(2)} (${bin.n} chances)`);
}
