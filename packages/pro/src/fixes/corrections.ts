import {
  type EntryFacts,
  type EntryRow,
  EVERYONE,
  Fault,
  findEntriesByNumber,
  findVersions,
  findVersionTexts,
  fromDocument,
  isLive,
  mayAgentSee,
  type ReadContext,
  type VersionFacts,
} from '@mem-service/server/module';
import { type LedgerOfVersion, ledgerOf, versionName } from '../attribution/index.ts';
import type { StoredState } from '../rollback/draft-back.ts';
import { type BlamedVersion, LINES_OF_ONE } from './blame.ts';
import { type EarlierVersion, lastGood } from './rules/earlier.ts';
import { outcomesOf, whyCorrected } from './rules/words.ts';
import { findSeen } from './seen-entries.ts';
import type { FixGround, ProposalInput } from './sources.ts';

/** What is to be done about an entry of `main`, decided before the transaction. */
export type Correction = BlamedVersion & {
  entity_path: string;
  key: string;
  action: 'restore' | 'replace' | 'delete';
  /** The earlier version of it. */
  restored: StoredState | undefined;
  /** The given value of it, as JSON. */
  value: string | undefined;
  /** Empty for everyone; else the only agent that may see the entry. */
  visible_to: string;
};

/** How far back a version is looked for. */
const MAX_LOOKED_BACK = 50;

/** With the values that were given, or else with what is known of earlier versions. */
export function correct(context: ReadContext, ground: FixGround, input: ProposalInput): Promise<Correction[]> {
  return input.entries.length > 0 ? correctGiven(context, ground, input) : correctBlamed(context, ground);
}

async function correctGiven(
  context: ReadContext,
  { blamed }: FixGround,
  { entries }: ProposalInput,
): Promise<Correction[]> {
  const rows = await findSeen(context, entries);
  const byName = new Map(rows.map((row) => [nameText(row), row]));
  const known = new Map(blamed.map((one) => [versionName(one), one]));
  const found = entries.map((one) => {
    const row = byName.get(nameText(one));
    const { entity_path, key } = one;
    if (!row)
      throw new Fault('not_found', `there is no entry at ${entity_path} ${key} to correct`, { entity_path, key });
    return { row, value: one.value.text };
  });
  const ledgers = await ledgerOf(
    context,
    found.map(({ row }) => row),
    LINES_OF_ONE,
  );
  return found.map(({ row, value }) => {
    const name = versionName(row);
    const ledger = ledgers.get(name) as LedgerOfVersion;
    const { entry_id, version } = row;
    const one = known.get(name) ?? {
      entry_id,
      version,
      runs: null,
      ledger,
      why: `By the ledger, ${outcomesOf(ledger)}.`,
    };
    const why = `${one.why} ${whyCorrected('replace', undefined)}`;
    return { ...one, ...placeOf(row), why, action: 'replace', restored: undefined, value };
  });
}

const nameText = ({ entity_path, key }: { entity_path: string; key: string }): string => `${entity_path}\n${key}`;

const placeOf = ({
  entity_path,
  key,
  shared,
  agent_id,
}: Pick<EntryRow, 'entity_path' | 'key' | 'shared' | 'agent_id'>) => ({
  ...{ entity_path, key },
  visible_to: shared === 1 ? EVERYONE : agent_id,
});

async function correctBlamed(context: ReadContext, { blamed, suspects }: FixGround): Promise<Correction[]> {
  const { scan, caller } = context;
  const heads = await findEntriesByNumber(scan, caller.account_id, blamed);
  const corrections: Correction[] = [];
  for (const [i, one] of blamed.entries()) {
    const head = heads[i];
    if (!head || !mayAgentSee(head, caller.agent_id)) continue;
    const found = await findEarlier(context, one, { suspects, head });
    const action = found ? 'restore' : 'delete';
    const why = `${one.why} ${whyCorrected(action, found)}`;
    corrections.push({ ...one, ...placeOf(head), why, action, restored: found?.state, value: undefined });
  }
  return corrections;
}

type FoundEarlier = { version: number; ledger: LedgerOfVersion; state: StoredState };
type BlamedContent = { suspects: ReadonlySet<string>; head: EntryFacts };

async function findEarlier(
  context: ReadContext,
  { entry_id, version }: BlamedVersion,
  { suspects, head }: BlamedContent,
): Promise<FoundEarlier | undefined> {
  const { scan, caller } = context;
  const first = Math.max(1, version - MAX_LOOKED_BACK);
  const numbers = Array.from({ length: version - first }, (_, i) => ({ entry_id, version: version - 1 - i }));
  const facts = (await findVersions(scan, caller.account_id, numbers)).flatMap((one) => one ?? []);
  const ledgers = await ledgerOf(context, facts, LINES_OF_ONE);
  let left = facts.map((one) => toEarlier(one, { ledgers, suspects, head, agent_id: caller.agent_id }));
  for (;;) {
    const good = lastGood(left, head.content_hash);
    if (!good) return undefined;
    const state = await stateOf(context, good.facts);
    if (isLive(state, context.now)) return { version: good.version, ledger: good.ledger, state };
    left = left.filter((one) => one.version < good.version);
  }
}

type KnownOfVersions = {
  ledgers: ReadonlyMap<string, LedgerOfVersion>;
  suspects: ReadonlySet<string>;
  head: EntryFacts;
  agent_id: string;
};

function toEarlier(
  facts: VersionFacts,
  { ledgers, suspects, head, agent_id }: KnownOfVersions,
): EarlierVersion & { facts: VersionFacts } {
  const name = versionName(facts);
  const { version, content_hash, deleted, shared } = facts;
  return {
    ...{ version, content_hash, facts },
    // A version that others may see, or that others may not, would change who knows the entry.
    isGone: deleted !== 0 || shared !== head.shared || !mayAgentSee(facts, agent_id),
    isSuspect: suspects.has(name),
    ledger: ledgers.get(name) as LedgerOfVersion,
  };
}

async function stateOf({ scan, caller }: ReadContext, facts: VersionFacts): Promise<StoredState | undefined> {
  const [text] = await findVersionTexts(scan, caller.account_id, [facts]);
  if (!text) return undefined;
  const { document, confidence, deleted } = text;
  const { ttl_at } = fromDocument({ document, confidence, deleted });
  const { version, agent_id, shared } = facts;
  return { document, confidence, deleted, version, agent_id, shared, ttl_at };
}
