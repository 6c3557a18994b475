import { EVERYONE, isNewestOfOneBranch, type ReadContext } from '../../kernel/index.ts';
import {
  type EntryRow,
  findNumbersOf,
  getNewestLine,
  type InheritedNumber,
  listVersionsOf,
  type WrittenVersion,
} from '../entries/index.ts';
import * as ledger from '../ledger/index.ts';
import type { OutcomeType } from './rules/outcome-types.ts';
import { type LifeEvent, versionsWritten } from './rules/story.ts';
import { verdictIn } from './rules/verdict-lines.ts';

const MAX_VERSIONS = 10_000;
const LEDGER_PAGE = 5000;
const MAX_LEDGER = 100_000;

/** A step of the story with its source, and whether the caller may see it. */
export type StoryEvent = { life: LifeEvent; seq: number; line: ledger.LedgerRow | undefined; isVisible: boolean };

/**
 * Returns every version and every ledger line that counted, oldest first. A long history starts at a version, never between
 * two outcomes.
 */
export async function lifeOf(
  context: ReadContext,
  entry: EntryRow,
): Promise<{ events: StoryEvent[]; isWhole: boolean }> {
  const numbers = await numbersOf(context, entry);
  const newest = await versionsOf(context, entry, numbers);
  const isWhole = newest.length <= MAX_VERSIONS;
  const versions = newest.reverse();
  const claims = versionsWritten(versions);
  const first = isWhole
    ? 0
    : Math.max(
        1,
        claims.findIndex(({ same_claim }, i) => i > 0 && !same_claim),
      );
  const kept = claims.slice(first);
  const byVersion = new Map(versions.map((row) => [row.version, row]));
  const written = kept.map((life): StoryEvent => {
    const row = byVersion.get(life.version) as WrittenVersion;
    const isVisible = row.shared === 1 || row.agent_id === context.caller.agent_id;
    return { life, seq: row.seq, line: undefined, isVisible };
  });
  const lines: ledger.LedgerRow[] = [];
  for (const number of numbers) lines.push(...(await ledgerOf(context, number, written[0]?.seq ?? 0)));
  const learnt = lines.map(
    (line): StoryEvent => ({ life: toLife(line), seq: line.seq, line, isVisible: maySee(context, line) }),
  );
  const events = [...written, ...learnt].sort((a, b) => a.seq - b.seq || noOf(a) - noOf(b));
  return { events: inOrderOfOutcomes(events), isWhole };
}

/** On a branch, the entry as it was inherited has other numbers. */
async function numbersOf({ view, scan }: ReadContext, { entity_path, key, entry_id }: EntryRow) {
  if (isNewestOfOneBranch(view)) return [{ entry_id, up_to_seq: null }];
  return (await findNumbersOf(scan, view, [{ entity_path, key }]))[0] ?? [];
}

/**
 * Newest first. What a branch inherited comes before its first version, unless that is the inherited one again: evidence
 * about an inherited version is kept with a copy of it.
 */
async function versionsOf({ scan }: ReadContext, { account_id }: EntryRow, numbers: readonly InheritedNumber[]) {
  const versions: WrittenVersion[] = [];
  for (const { entry_id, up_to_seq } of numbers) {
    const left = MAX_VERSIONS + 1 - versions.length;
    if (left <= 0) break;
    const rows = await listVersionsOf(scan, { account_id, entry_id }, left);
    const inherited = rows.filter(({ seq }) => up_to_seq === null || seq <= up_to_seq);
    const isCopied = inherited[0] !== undefined && versions.at(-1)?.version === inherited[0].version;
    const first = versions.at(-1)?.version ?? Number.POSITIVE_INFINITY;
    if (isCopied) versions.pop();
    versions.push(...inherited.filter(({ version }) => (isCopied ? version <= first : version < first)));
  }
  return versions;
}

/** Lines that a merge brought along count where their outcomes were committed, but after the value that they are about. */
function inOrderOfOutcomes(events: readonly StoryEvent[]): StoryEvent[] {
  if (!events.some(({ line }) => line?.origin_seq != null)) return [...events];
  const starts = events.flatMap(({ life }, i) => (life.kind === 'written' && !life.same_claim ? [i] : []));
  const parts = starts.map((start, i) => events.slice(start, starts[i + 1]));
  return parts.flatMap(([first, ...rest]) => [
    first as StoryEvent,
    ...rest.sort((a, b) => seqOf(a) - seqOf(b) || originNoOf(a) - originNoOf(b)),
  ]);
}

const seqOf = ({ seq, line }: StoryEvent): number => line?.origin_seq ?? seq;
const originNoOf = ({ line }: StoryEvent): number => line?.origin_no ?? line?.no ?? -1;
const noOf = ({ line }: StoryEvent): number => line?.no ?? -1;

const maySee = ({ caller }: ReadContext, { visible_to, outcome_visible_to }: ledger.LedgerRow): boolean =>
  [visible_to, outcome_visible_to].every((who) => who === EVERYONE || who === caller.agent_id);

/** Returns the ledger lines that counted for an entry, newest first. */
async function ledgerOf({ scan, view }: ReadContext, of: InheritedNumber, since: number): Promise<ledger.LedgerRow[]> {
  const { account_id } = view;
  const rows: ledger.LedgerRow[] = [];
  let from = await getNewestLine(scan, { account_id, entry_id: of.entry_id });
  while (from && from.seq > since && rows.length < MAX_LEDGER) {
    const page = await ledger.listLedger(scan, account_id, { from, since, limit: LEDGER_PAGE });
    rows.push(...page);
    const { before_seq: seq = null, before_no: no = null } = page.at(-1) ?? {};
    from = seq === null || no === null ? undefined : { seq, no };
  }
  return rows.filter(
    (line) =>
      ledger.hasCounted(line) && line.entry_id === of.entry_id && (of.up_to_seq === null || line.seq <= of.up_to_seq),
  );
}

function toLife(line: ledger.LedgerRow): LifeEvent {
  if (line.model === ledger.DEMOTED)
    return {
      kind: 'demoted',
      factor: line.weight ?? 1,
      reason: line.reason ?? '',
      before: line.confidence_before ?? 0,
      after: line.confidence_after ?? 0,
      at: line.at,
      agent_id: line.agent_id,
    };
  if (line.model === ledger.JUDGED)
    return {
      kind: 'verdict',
      ...verdictIn(line),
      before: line.confidence_before ?? 0,
      after: line.confidence_after ?? 0,
    };
  return {
    kind: 'outcome',
    model: line.model as 'evidence' | 'multiplicative',
    outcome_type: line.outcome_type as OutcomeType,
    causal_confidence: line.causal_confidence,
    n_causal: line.n_causal,
    agent_id: line.agent_id,
    at: line.at,
    before: line.confidence_before ?? 0,
    after: line.confidence_after ?? 0,
    counts_half: line.causal_confidence < line.stated_confidence,
  };
}
