import * as z from 'zod';
import { isAgentGlob } from './agent-glob.ts';
import { entityPathProblem, isWithinChars, keyProblem, parseGlob, trimSlashes, utf8Length } from './glob.ts';
import { JsonText, jsonDepth } from './json-text.ts';

export const MAX_JSON_DEPTH = 128;

/** No name is as long as this even before it is composed, and composing 8 MB takes 100 ms. */
const LONGEST_NAME = 16_384;
const nfc = (text: string) => (text.length > LONGEST_NAME ? text : text.normalize('NFC'));

/** A name, in Unicode NFC. */
export const checked = (problem: (text: string) => string | undefined, tidy = nfc) =>
  z
    .string()
    .overwrite(tidy)
    .superRefine((text, ctx) => {
      const message = problem(text);
      if (message) ctx.addIssue({ code: 'custom', message });
    });

const tidyPath = (text: string) => trimSlashes(nfc(text));

export const entityPath = checked(entityPathProblem, tidyPath).meta({
  id: 'EntityPath',
  description:
    'Slash-separated path naming the subject, 1 to 512 characters, in Unicode NFC. Slashes at its ends are taken off.',
  minLength: 1,
  maxLength: 512,
  examples: ['checkout/payments'],
});

export const key = checked(keyProblem).meta({
  id: 'Key',
  description: 'Name of the entry within its path, 1 to 256 characters, in Unicode NFC.',
  minLength: 1,
  maxLength: 256,
  examples: ['retry-policy'],
});

export const pathGlob = checked(
  (text) => (parseGlob(text) ? undefined : 'is neither an entity path nor a glob such as a/*, a/** or *'),
  tidyPath,
).meta({
  id: 'PathGlob',
  description: '`a/b` is that path, `a/*` its direct children, `a/**` everything below it, `*` everything.',
  examples: ['checkout/**'],
});

/** With a path, the one filter that covers a subject and everything below it. */
export const includeDescendants = z
  .boolean()
  .default(false)
  .meta({ description: 'With a path: also everything below it.' });

/** Limited in bytes: names are indexed, and an index row in PostgreSQL holds at most 2,704. */
export const label = (maxBytes: number) =>
  checked((text) =>
    text.length > maxBytes || utf8Length(text) > maxBytes ? `is longer than ${maxBytes} bytes` : labelProblem(text),
  );
function labelProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return 'must not hold control characters';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** Text that both databases can store. Its length is counted in characters, as JSON Schema counts it. */
export const text = (max: number) =>
  z
    .string()
    .refine((text) => isWithinChars(text, max), `must not be longer than ${max} characters`)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed Unicode without NUL')
    .meta({ maxLength: max });

export const connectorName = z
  .string()
  .max(64)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must be small letters, digits and hyphens, and neither begin nor end with one',
  )
  .meta({ id: 'ConnectorName', description: 'The name of a connector.', examples: ['github'] });

export const agentId = label(256).meta({
  id: 'AgentId',
  description: 'The agent that writes or asks, in at most 256 bytes.',
  examples: ['agent/deploy-bot'],
});
export const agentGlob = label(256)
  .refine(isAgentGlob, 'may have a star only at its end, as in ci-*, team/* or team/**')
  .meta({
    id: 'AgentGlob',
    description:
      'A name, or its beginning and `*` for what follows up to a slash, or `**` for whatever follows; `*` is all.',
    examples: ['team/*'],
  });
export const sessionId = label(256).meta({
  id: 'SessionId',
  description: 'The session that it belongs to.',
  examples: ['sess-42'],
});
export const branch = label(256).meta({
  id: 'Branch',
  description:
    'A branch; `main` always exists. For a read also a past state: `tags/<name>`, `<branch>@<seq>` or `<branch>@<time>`.',
  examples: ['main'],
});
/** A driver reads numbers closer to zero than 2.2e-16 as zero; the stored value would not match its hash. */
const LEAST_CONFIDENCE = 1e-12;

/** What a new value starts with where its author claims nothing: believed, with room to rise and to fall. */
export const DEFAULT_CONFIDENCE = 0.7;

export const confidence = z
  .number()
  .min(0)
  .max(1)
  .overwrite((n) => (n < LEAST_CONFIDENCE ? 0 : n))
  .meta({ description: 'Trust in the entry, 0 to 1.' });
export const memoryType = z
  .enum(['fact', 'belief', 'experience', 'procedure'])
  .meta({ id: 'MemoryType', description: 'What kind of memory it is.' });
export const evidenceStatus = z.enum(['untested', 'validated', 'contested', 'discredited']);
export const version = z.int().min(1);
export const ifVersion = z
  .int()
  .min(0)
  .optional()
  .meta({ description: 'Write only if the entry is at this version; 0: only if it does not exist. Else 409.' });
export const ifExists = z
  .boolean()
  .optional()
  .meta({ description: 'Write only if the entry exists, at whatever version. Else 409.' });
export const patternRef = label(256).meta({ description: 'Names a pattern that the entry follows.' });

const TIME_FORM = 'a time with its offset such as 2026-01-31T12:00:00Z';
export const timestamp = z.iso
  .datetime({ offset: true, error: `must be ${TIME_FORM}` })
  .meta({ description: 'ISO 8601 with an offset.', examples: ['2026-01-31T12:00:00.000Z'] });

const DAY_MS = 86_400_000;
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const isTime = z.regexes.datetime({ offset: true });

/** A time, or a day in UTC, of which the first or the last moment is meant. */
const timeOrDay = (description: string, ofDay: (midnight: number) => number) =>
  z
    .string()
    .overwrite((text) => (z.regexes.date.test(text) ? new Date(ofDay(Date.parse(text))).toISOString() : text))
    .refine((text) => isTime.test(text), `must be ${TIME_FORM}, or a day such as 2026-01-31`)
    .optional()
    .meta({ description, examples: ['2026-01-31T12:00:00.000Z', '2026-01-31'] });

export const since = timeOrDay('At or after this time; a day means from its start, in UTC.', (midnight) => midnight);
export const until = timeOrDay('Before this time; a day means up to its end, in UTC.', (midnight) =>
  Math.min(midnight + DAY_MS, LAST_MS),
);

/** Times in answers are always UTC with milliseconds. */
export const utc = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });

/** Returns the value, or a text that describes what is wrong with it. */
function toJsonText(value: unknown): JsonText | string {
  if (value === undefined) return 'is required';
  try {
    const json = JsonText.of(value);
    if (isShallow(json)) return json;
  } catch (error) {
    // A RangeError means that the nesting exceeded the stack.
    if (!(error instanceof RangeError)) return 'has no JSON form';
  }
  return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
}

/** A value is nested less deep than the body that it came in. */
const isShallow = ({ depth = Number.POSITIVE_INFINITY, text }: JsonText): boolean =>
  depth <= MAX_JSON_DEPTH || jsonDepth(text) <= MAX_JSON_DEPTH;

export const jsonValue = z
  .unknown()
  .transform((value, ctx): JsonText => {
    const json = toJsonText(value);
    if (typeof json !== 'string') return json;
    ctx.addIssue({ code: 'custom', message: json });
    return z.NEVER;
  })
  .meta({ id: 'JsonValue', description: 'Any JSON value. It comes back exactly as it was given.' });

/** A JSON value in an answer. */
export const anyJson = z.unknown().meta({ description: 'Any JSON value.' });

export const artifactRef = z
  .strictObject({
    uri: z.string().min(1).max(2048),
    media_type: z.string().max(256).optional(),
    label: z.string().max(256).optional(),
    size_bytes: z.int().min(0).optional(),
  })
  .meta({ id: 'ArtifactRef' });

export const limit = z.int().min(1).max(1000).default(100).meta({ description: 'Page size, 1 to 1000.' });
export const cursor = z.string().max(4096).optional().meta({ description: '`next_cursor` of the page before.' });
export const page = {
  next_cursor: z.string().nullable().meta({ description: 'Hand this back as `cursor` for the next page.' }),
  has_more: z.boolean(),
};

export const provenance = z
  .object({
    agent_id: agentId,
    session_id: z.string().nullable(),
    written_at: utc,
    pattern_refs: z.array(z.string()),
  })
  .meta({ id: 'Provenance', description: 'Who wrote it, when, in which session, following which patterns.' });

const versionEvent = z
  .object({
    source: z.string(),
    event_type: z.string(),
    id: z.string(),
    occurred_at: utc.nullable(),
    rank: z.number().optional().meta({ description: 'Its place among those of the same time, where it is not 0.' }),
  })
  .meta({ id: 'VersionEvent', description: 'An event that another system sent.' });

const written = {
  entity_path: entityPath,
  key,
  branch,
  version,
  value: anyJson,
  confidence,
  memory_type: memoryType,
  shared: z.boolean().meta({ description: '`false`: only the agent that wrote it sees it.' }),
  provenance,
  ttl_at: utc.nullable(),
  artifact_refs: z.array(artifactRef),
  is_artifact: z.boolean().meta({ description: 'The value looks like a source or configuration file.' }),
  content_hash: z.string().meta({ description: 'SHA-256 of the bytes of the value.' }),
  integrity_chain: z.string().meta({ description: 'SHA-256 that ties this version to the one before it.' }),
  commit_id: z.string().nullable(),
  event: versionEvent.optional().meta({ description: 'The event from outside that it was written for.' }),
  seq: z.int().meta({ description: 'Place of this version in the log of the account.' }),
};

export const entryVersion = z
  .object({ ...written, deleted: z.boolean().meta({ description: 'A tombstone: the entry was deleted here.' }) })
  .meta({ id: 'EntryVersion', description: 'One version as it was written. It never changes.' });

export const entry = z
  .object({
    ...written,
    outcome_count: z.int(),
    success_count: z.int(),
    failure_count: z.int(),
    evidence_success: z.number(),
    evidence_failure: z.number(),
    prior_confidence: z.number().nullable(),
    last_outcome: z.string().nullable(),
    last_outcome_at: utc.nullable(),
    discredited_at: utc.nullable(),
    validators: z.array(z.string()),
    evidence_status: evidenceStatus,
    recall_count: z.int().meta({ description: 'How often it was read; counted a moment after the reads.' }),
    effective_confidence: z.number().optional().meta({ description: 'After decay, where memory fades.' }),
    quarantined: z.literal(true).optional().meta({ description: 'Under quarantine; see `include_quarantined`.' }),
    tier: z.int().min(1).max(3),
    priority_score: z.number().nullable(),
    importance_score: z.number().nullable(),
    importance_dimensions: z.record(z.string(), z.number()).nullable(),
  })
  .meta({ id: 'Entry', description: 'The current version of an entry and how it stands.' });

export const quality = z
  .object({
    score: z.number(),
    action: z.enum(['stored_ok', 'stored_with_suggestions']),
    issues: z.array(z.object({ type: z.string(), message: z.string(), suggestion: z.string() })),
  })
  .meta({ id: 'Quality', description: 'Hints that make a memory more useful. They never refuse a write.' });

export const writeWarnings = z
  .array(
    z
      .object({
        type: z.enum(['looks_like_secret']),
        entity_path: entityPath,
        key,
        kinds: z.array(z.string()).meta({ description: 'Such as `github_token`, `private_key`, `assignment`.' }),
        message: z.string(),
      })
      .meta({ id: 'WriteWarning' }),
  )
  .meta({ description: 'What may be wrong with a value that was stored all the same.' });

/** Identifies an entry, with the branch to look on. */
export const address = { entity_path: entityPath, key, branch: branch.default('main') };
