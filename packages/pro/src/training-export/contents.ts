import {
  documentsInOrder,
  findEntriesByNumber,
  findEntriesOfTraces,
  findNamedNumbers,
  findVersionSizes,
  findVersions,
  isQuarantined,
  pageBytes,
  pause,
  type ReadContext,
  type ReadOfTrace,
  redactInTurns,
} from '@mem-service/server/module';
import { optOuts } from './opt-outs.ts';
import { type DecidedEntry, type EntryInContext, isShown, type SealedSession } from './rules/examples.ts';

type SizedVersion = { entry_id: number; version: number; document_bytes: number };
type ShownRead = ReadOfTrace & { document_bytes: number | undefined };
type ShownWrite = SizedVersion & { entity_path: string; key: string };

/** What a session read and wrote that examples may show, without values. */
type Outline = { session: SealedSession; reads: ShownRead[]; isCut: boolean; writes: ShownWrite[]; wrote: boolean };

/** What a session knew, and what it decided; `decided` has to be read to its end before the next session. */
export type ExampleSource = {
  session: SealedSession;
  known: EntryInContext[];
  /** Nothing is left of what it knew. */
  isCut: boolean;
  wrote: boolean;
  decided: AsyncGenerator<DecidedEntry>;
};

/** The least confidence of entries, and whether what was written is wanted too. */
type WantedContent = { least: number; withWrites: boolean };

/** The contents of the sessions of a page, with the values of one page in memory at a time. */
export async function* contentsOf(
  context: ReadContext,
  sessions: readonly SealedSession[],
  wanted: WantedContent,
): AsyncGenerator<ExampleSource> {
  const { scan, caller, services } = context;
  const bytes = pageBytes(services);
  const outlines = await outlinesOf(context, sessions, wanted);
  await pause();
  for (const { reads } of outlines) leaveOutLong(reads, bytes);
  const sized = outlines.flatMap(({ reads, writes }) => [...reads.filter(isSized), ...writes]);
  const documents = documentsInOrder(scan, caller.account_id, { sized, bytes });
  for (const { session, reads, isCut, writes, wrote } of outlines) {
    const known: EntryInContext[] = [];
    for (const read of reads) {
      known.push(await toKnown(read, isSized(read) ? await nextOf(documents) : undefined));
      await pause();
    }
    yield { session, known, isCut, wrote, decided: decisionsOf(writes, documents) };
  }
}

/** What sessions read and wrote, in a few statements for all of them. */
async function outlinesOf(
  context: ReadContext,
  sessions: readonly SealedSession[],
  { least, withWrites }: WantedContent,
): Promise<Outline[]> {
  const { scan, caller } = context;
  const entries = await findEntriesOfTraces(
    context,
    sessions.map(({ seq }) => seq),
  );
  await pause();
  const reads = entries.flatMap(({ reads }, of) => reads.map((one) => ({ ...one, of })));
  const writes = entries.flatMap(({ writes }, of) =>
    (withWrites ? writes : []).map((one) => ({ ...one, of, branch: (sessions[of] as SealedSession).branch })),
  );
  const numbers = await findNamedNumbers(scan, caller.account_id, writes);
  const written = writes.flatMap((one, i) => (numbers[i] ? [{ ...one, entry_id: numbers[i].entry_id }] : []));
  await pause();
  const others = withoutOwn(reads, written);
  await pause();
  const poisoned = await sessionsInQuarantine(context, [...others, ...written]);
  const known = (await withoutOptOuts(context, others)).filter((one) => isShown(one, least));
  await pause();
  const sizes = await findVersionSizes(scan, caller.account_id, [...known, ...written]);
  await pause();
  const outlines = sessions.map((session): Outline => ({ session, reads: [], isCut: false, writes: [], wrote: false }));
  for (const { of } of others) (outlines[of] as Outline).isCut = true;
  known.forEach(({ of, ...read }, i) => {
    const outline = outlines[of] as Outline;
    outline.isCut = false;
    outline.reads.push({ ...read, document_bytes: sizes[i]?.document_bytes });
  });
  written.forEach(({ of, ...write }, i) => {
    const size = sizes[known.length + i];
    const outline = outlines[of];
    if (!size || !outline) return;
    outline.wrote = true;
    if (isShown({ ...write, ...size }, least)) outline.writes.push({ ...write, document_bytes: size.document_bytes });
  });
  return outlines.filter((_, of) => !poisoned.has(of));
}

type VersionOf = { of: number; entry_id: number; version: number };

/** Sessions that read or wrote what is under quarantine: nobody should learn what came of it. */
async function sessionsInQuarantine(
  { scan, caller }: ReadContext,
  versions: readonly VersionOf[],
): Promise<ReadonlySet<number>> {
  const heads = await findEntriesByNumber(scan, caller.account_id, versions);
  return new Set(versions.flatMap(({ of }, i) => (heads[i] && isQuarantined(heads[i]) ? [of] : [])));
}

/** Without versions whose authors do not want to be learned from. */
async function withoutOptOuts<T extends VersionOf>(context: ReadContext, versions: readonly T[]): Promise<T[]> {
  const facts = await findVersions(context.scan, context.caller.account_id, versions);
  const out = await optOuts(
    context,
    facts.flatMap((fact) => fact?.agent_id ?? []),
  );
  return versions.filter((_, i) => !out.has(facts[i]?.agent_id ?? ''));
}

/** What a session read again after it wrote it is what it decided: as context it would give the answer away. */
function withoutOwn<T extends VersionOf>(reads: readonly T[], written: readonly VersionOf[]): T[] {
  const nameOf = ({ of, entry_id, version }: VersionOf) => `${of} ${entry_id} ${version}`;
  const own = new Set(written.map(nameOf));
  return reads.filter((read) => !own.has(nameOf(read)));
}

const isSized = (read: ShownRead): read is ShownRead & SizedVersion => read.document_bytes !== undefined;

/** An example shows all that was known: values that are too long for what is left of so many bytes are left out. */
function leaveOutLong(reads: readonly ShownRead[], bytes: number): void {
  let left = bytes;
  for (const read of reads) {
    if (read.document_bytes === undefined) continue;
    if (read.document_bytes > left) read.document_bytes = undefined;
    else left -= read.document_bytes;
  }
}

type Documents = ReturnType<typeof documentsInOrder>;

const nextOf = async (documents: Documents): Promise<string | undefined> => (await documents.next()).value;

type ValueInExample = Pick<EntryInContext['entry'], 'value' | 'memory_type'>;

/** Undefined where the version was erased or left out. */
async function contentIn(document: string | undefined): Promise<ValueInExample | undefined> {
  if (document === undefined) return undefined;
  const { value, memory_type } = JSON.parse(document) as ValueInExample;
  return { value: (await redactInTurns(value)) as ValueInExample['value'], memory_type };
}

async function toKnown(
  { entity_path, key, version, confidence, success_count, failure_count }: ShownRead,
  document: string | undefined,
): Promise<EntryInContext> {
  const content = (await contentIn(document)) ?? { memory_type: null };
  return {
    entry: { entity_path, key, version, confidence, ...content },
    outcome_count: success_count + failure_count,
  };
}

async function* decisionsOf(writes: readonly ShownWrite[], documents: Documents): AsyncGenerator<DecidedEntry> {
  for (const { entity_path, key } of writes) {
    const content = await contentIn(await nextOf(documents));
    if (content) yield { entity_path, key, value: content.value };
  }
}
