import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { countedShare, liftText, numberText } from './figures.ts';
import { facts } from './reports.ts';
import { type Column, panel, table } from './table.ts';
import { clean, type Screen, show, whenOn } from './text.ts';

type ShownAttribution = Output<'failures.attribute'>;
type ShownSuspect = ShownAttribution['suspects'][number];

const suspectColumns: readonly Column<ShownSuspect>[] = [
  {
    title: 'ENTRY',
    whole: true,
    of: ({ entity_path, key, deleted }) => show(`${entity_path}/${key}${deleted ? ' (deleted)' : ''}`),
  },
  { title: 'VER', right: true, of: ({ version }) => String(version) },
  { title: 'BY', of: ({ written_by }) => show(written_by) },
  { title: 'WRITTEN', of: ({ written_at }, screen) => whenOn(screen, written_at) },
  { title: 'FAILED WITH IT', of: ({ with_it }) => countedShare(with_it) },
  { title: 'WITHOUT IT', of: ({ without_it }) => countedShare(without_it) },
  { title: 'LIFT', of: ({ lift }) => liftText(lift) },
  { title: 'P', right: true, of: ({ p }) => numberText(p) },
  { title: 'EXPLAINED BY', of: ({ explained_by }) => show(explanationOf(explained_by)) },
];

function explanationOf(explained: ShownSuspect['explained_by']): string | null {
  if (explained === null) return null;
  if ('dimension' in explained) return `${explained.dimension} ${String(explained.value)}`;
  return `${explained.entity_path}/${explained.key} in version ${explained.version}`;
}

/** The memory that failing runs read more often, the surest first. */
export function attributed(item: AnswerItem, screen: Screen): string {
  const { suspects, failed, passed, complete } = item as unknown as ShownAttribution;
  const runs = `${failed} failed, ${passed} passed${complete ? '' : '; there are more'}`;
  const head = panel([['runs', runs]], screen);
  if (suspects.length > 0) return `${head}\n${table(suspects, suspectColumns, screen)}`;
  return `${head}no suspects: ${reasonOf(failed)}\n`;
}

/** A suspect is read by so many failing runs at least. */
const LEAST_FAILING = 3;

const reasonOf = (failed: number): string =>
  failed < LEAST_FAILING
    ? `at least ${LEAST_FAILING} failing runs have to have read the same version`
    : 'no version was read by failing runs more often than by others, beyond chance';

/** The hand-over as it is to be passed on: Markdown, line by line. */
export const handedOver = ({ markdown }: AnswerItem): string => `${clean(String(markdown)).trimEnd()}\n`;

type ShownFix = Output<'fixes.read'>;

/** A fix without its hand-over, which has a command of its own. */
export function fix(item: AnswerItem, screen: Screen): string {
  const { handover: _, entries, source, ...rest } = item as unknown as ShownFix & { handover?: string };
  const plain = entries.map(({ runs: _runs, ledger: _ledger, ...entry }) => entry);
  const named = Object.fromEntries(Object.entries(source).filter(([, found]) => found !== null));
  return facts({ ...rest, source: named, entries: plain } as unknown as AnswerItem, screen);
}
