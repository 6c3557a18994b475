import { hash } from 'node:crypto';
import { attachRaw, cutMember, JsonText, type Output } from '@mem-service/contract';
import { type ColumnType, StorageError } from '../../db/index.ts';
import { toIso } from '../../kernel/index.ts';
import { QUARANTINED } from './rules/state.ts';
import { standingText } from './standing.ts';

/**
 * A version as it is stored. `document` is its content as sent over the wire and never changes; columns hold what filters
 * and orders need.
 */
export type VersionRow = {
  account_id: string;
  /** The number of the entry: the `seq` of its first version. */
  entry_id: number;
  version: number;
  seq: number;
  deleted: number;
  shared: number;
  agent_id: string;
  written_at: number;
  ttl_at: number | null;
  /** As it was written. */
  confidence: number;
  content_hash: string;
  integrity_chain: string;
  document: string;
  commit_id: string | null;
};

/** The newest version of an entry and its standing. `standing` is null until an outcome or a reader changes it. */
export type EntryRow = Omit<VersionRow, 'commit_id'> & {
  branch: string;
  entity_path: string;
  key: string;
  memory_type: string;
  is_artifact: number;
  pattern_refs: string;
  standing: string | null;
  standing_no: number;
  recall_count: number;
};

const common = {
  account_id: 'text',
  entry_id: 'int',
  version: 'int',
  seq: 'int',
  deleted: 'int',
  shared: 'int',
  agent_id: 'text',
  written_at: 'int',
  ttl_at: 'int',
  confidence: 'real',
  content_hash: 'text',
  integrity_chain: 'text',
  document: 'text',
} as const;

export const versionColumns: Record<keyof VersionRow, ColumnType> = { ...common, commit_id: 'text' };

/** The columns of the table `entries`, where `confidence` is that of the newest version as it was written. */
export const headColumns = {
  ...common,
  branch: 'text',
  entity_path: 'text',
  key: 'text',
  memory_type: 'text',
  is_artifact: 'int',
  pattern_refs: 'text',
} as const;

export const entryColumns: Record<keyof EntryRow, ColumnType> = {
  ...headColumns,
  standing: 'text',
  standing_no: 'int',
  recall_count: 'int',
};

/** The content of a version. Lists and the value are JSON text. */
export type VersionContent = {
  value: string;
  deleted: number;
  confidence: number;
  memory_type: string;
  shared: number;
  pattern_refs: string;
  artifact_refs: string;
  ttl_at: number | null;
  is_artifact: number;
};

export type VersionOrigin = {
  branch: string;
  entity_path: string;
  key: string;
  version: number;
  agent_id: string;
  session_id: string | null;
  written_at: number;
  commit_id: string | null;
  /** The event from outside that it was written for, as JSON. */
  event?: string | undefined;
};

const sha256 = (text: string): string => hash('sha256', text, 'hex');

export const contentHash = (value: string): string => sha256(value);

/** Links a version to the one before it and to everything written with it, including its address. */
export function chainHash(previousChain: string, hash: string, written: readonly unknown[]): string {
  return sha256(`${previousChain}\n${hash}\n${JSON.stringify(written)}`);
}

const NO_EVENT: readonly string[] = [];

/** The fields that the chain covers besides the value, in a form that can be rebuilt from a stored row. */
export function chained(content: VersionContent, origin: VersionOrigin): readonly unknown[] {
  return [
    origin.entity_path,
    origin.key,
    origin.version,
    content.deleted,
    content.memory_type,
    content.confidence,
    content.shared,
    origin.agent_id,
    origin.session_id,
    origin.written_at,
    content.ttl_at,
    content.pattern_refs,
    content.artifact_refs,
    origin.commit_id,
    ...(origin.event === undefined ? NO_EVENT : [origin.event]),
  ];
}

const quote = JSON.stringify;

/**
 * Built by hand: the value is spliced in as the text it came in, to the byte. It takes 1.0 µs; parsed and serialised it would
 * take 5.8 (bench/inside/tricks.mjs).
 */
export function toDocument(
  content: VersionContent,
  origin: VersionOrigin,
  stamp: { hash: string; chain: string; seq: number },
): string {
  const session = origin.session_id === null ? 'null' : quote(origin.session_id);
  const ttl = content.ttl_at === null ? 'null' : `"${toIso(content.ttl_at)}"`;
  const commit = origin.commit_id === null ? 'null' : quote(origin.commit_id);
  const event = origin.event === undefined ? '' : `,"event":${origin.event}`;
  return (
    `{"entity_path":${quote(origin.entity_path)},"key":${quote(origin.key)},"branch":${quote(origin.branch)}` +
    `,"version":${origin.version},"value":${content.value},"memory_type":"${content.memory_type}"` +
    `,"shared":${content.shared === 1},"provenance":{"agent_id":${quote(origin.agent_id)},"session_id":${session}` +
    `,"written_at":"${toIso(origin.written_at)}","pattern_refs":${content.pattern_refs}},"ttl_at":${ttl}` +
    `,"artifact_refs":${content.artifact_refs},"is_artifact":${content.is_artifact === 1}` +
    `,"content_hash":"${stamp.hash}","integrity_chain":"${stamp.chain}","commit_id":${commit}${event},"seq":${stamp.seq}}`
  );
}

const LARGE_CHARS = 64 * 1024;

const RAW = [['value'], ['artifact_refs'], ['provenance', 'pattern_refs']] as const;

type ParsedDocument = {
  entity_path: string;
  key: string;
  branch: string;
  version: number;
  value: JsonText;
  memory_type: string;
  shared: boolean;
  provenance: { agent_id: string; session_id: string | null; written_at: string; pattern_refs: JsonText };
  ttl_at: string | null;
  artifact_refs: JsonText;
  is_artifact: boolean;
  commit_id: string | null;
  event?: object;
};

/** Parses a document back into its parts, byte for byte. */
export function fromDocument(
  row: Pick<VersionRow, 'document' | 'deleted' | 'confidence'>,
): VersionContent & { origin: VersionOrigin } {
  // A large value is not parsed: only its text is asked for.
  const cut = row.document.length > LARGE_CHARS ? cutMember(row.document, 'value') : undefined;
  const text = cut?.rest ?? row.document;
  const parsed = JSON.parse(text) as ParsedDocument;
  attachRaw(text, parsed, RAW);
  const { provenance } = parsed;
  return {
    value: cut?.member ?? parsed.value.text,
    deleted: row.deleted,
    confidence: row.confidence,
    memory_type: parsed.memory_type,
    shared: Number(parsed.shared),
    pattern_refs: provenance.pattern_refs.text,
    artifact_refs: parsed.artifact_refs.text,
    ttl_at: parsed.ttl_at === null ? null : Date.parse(parsed.ttl_at),
    is_artifact: Number(parsed.is_artifact),
    origin: {
      branch: parsed.branch,
      entity_path: parsed.entity_path,
      key: parsed.key,
      version: parsed.version,
      agent_id: provenance.agent_id,
      session_id: provenance.session_id,
      written_at: Date.parse(provenance.written_at),
      commit_id: parsed.commit_id,
      event: parsed.event && JSON.stringify(parsed.event),
    },
  };
}

export type EntryAnswer = Exclude<Output<'entries.read'>, { deleted: boolean }>;
export type EntryVersion = Output<'entries.delete'>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_JSON = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** JSON has none of these characters, and what a failing disk leaves of it nearly always has. */
function undamaged(document: string): string {
  if (NOT_JSON.test(document)) throw new StorageError('damaged', new Error('the document of a version is not JSON'));
  return document;
}

export type ShownEntry = Pick<EntryRow, 'document' | 'confidence' | 'standing' | 'recall_count'>;

/**
 * The entry as it goes over the wire, with `extra` members if there are any. Spliced from texts in 0.1 µs; parsed and
 * serialised it would take 35 (bench/inside/tricks.mjs).
 */
export function entryText(entry: ShownEntry, extra = ''): string {
  const { document, recall_count } = entry;
  return `${undamaged(document).slice(0, -1)},${standingText(entry)},"recall_count":${recall_count}${extra}}`;
}

/** A further member of an entry that is under quarantine. */
export const quarantinedMember = ({ deleted }: { deleted?: number }): string =>
  deleted === QUARANTINED ? ',"quarantined":true' : '';

/** JSON text in place of the object it serialises; `about` holds what a transport needs without parsing it. */
export const rendered = <T>(text: string, about?: object): T => new JsonText(text, about) as T;

export const toEntry = <T = EntryAnswer>(row: ShownEntry, extra?: string): T => rendered<T>(entryText(row, extra));

const CHAIN_MEMBER = '"integrity_chain":"';
const CHAIN_START = 12;

/** Differs from that of any other version, also in other accounts. The member is near the end of the document. */
function chainStartIn(document: string): string {
  const at = document.lastIndexOf(CHAIN_MEMBER) + CHAIN_MEMBER.length;
  return document.slice(at, at + CHAIN_START);
}

export const toVersion = (
  row: Pick<VersionRow, 'document' | 'confidence' | 'deleted' | 'version' | 'seq'>,
): EntryVersion =>
  rendered(`${undamaged(row.document).slice(0, -1)},"confidence":${row.confidence},"deleted":${row.deleted === 1}}`, {
    version: row.version,
    seq: row.seq,
    chain_start: chainStartIn(row.document),
  });

/** The answer of a read, which is conditional on version and standing. */
export const toReadEntry = (
  row: ShownEntry & Pick<EntryRow, 'version' | 'seq' | 'standing_no'>,
  extra?: string,
): EntryAnswer =>
  rendered(entryText(row, extra), {
    version: row.version,
    seq: row.seq,
    standing_no: row.standing_no,
    chain_start: chainStartIn(row.document),
  });

/** An entry key on a branch. */
export type EntryAddress = { branch: string; entity_path: string; key: string };
