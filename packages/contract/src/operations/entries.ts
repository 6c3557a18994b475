import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, staleRead } from '../trace-shapes.ts';

const address = s.address;
const ifVersion = z
  .int()
  .min(0)
  .optional()
  .meta({ description: 'Write only if the entry is at this version; 0: only if it does not exist. Else 409.' });

/** For a write that depends on what the session has read. */
export const ifUnchanged = z
  .boolean()
  .default(false)
  .meta({ description: 'Refuse (409) when something the session read was changed by others since.' });
export const staleReads = z
  .array(staleRead)
  .meta({ description: 'What the session read and others have changed since; the write was done all the same.' });

/** The fields shared by a single write and each write of a commit. */
export const draft = {
  entity_path: s.entityPath,
  key: s.key,
  value: s.jsonValue,
  confidence: s.confidence
    .optional()
    .meta({ description: 'Default 1. A rewrite of the same value keeps what it has.' }),
  memory_type: s.memoryType.optional().meta({ description: 'Default `fact`, or what the entry already is.' }),
  pattern_refs: z.array(s.patternRef).max(100).optional(),
  shared: z.boolean().optional().meta({ description: 'Default true. `false`: only the writing agent sees it.' }),
  ttl_at: s.timestamp.optional().meta({ description: 'When the entry expires.' }),
  ttl_seconds: z.number().positive().max(3_155_760_000).optional().meta({ description: 'Instead of `ttl_at`.' }),
  artifact_refs: z.array(s.artifactRef).max(100).optional(),
  if_version: ifVersion,
};

const oneTtl = (input: { ttl_at?: unknown; ttl_seconds?: unknown }) =>
  input.ttl_at === undefined || input.ttl_seconds === undefined;
const oneTtlMessage = { message: 'give ttl_at or ttl_seconds, not both', path: ['ttl_seconds'] };

export const draftShape = z.strictObject(draft).refine(oneTtl, oneTtlMessage).meta({ id: 'Draft' });

const between = { since: s.timestamp.optional(), until: s.timestamp.optional() };
const entryErrors = ['not_found', 'branch_not_found'] as const;
const example = { entity_path: 'checkout/payments', key: 'retry-policy' };
const claim = { confidence: 0.9, memory_type: 'fact' } as const;
const entryPath = '/api/v1/entries/{entity_path}/{key}';

export const entries = {
  'entries.write': operation({
    summary: 'Write an entry',
    description:
      'Writes a new version. The same value again changes nothing and answers `unchanged: true`, unless confidence, type, ' +
      'refs, visibility or expiry differ.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    needs_notes: 'of this server',
    http: {
      method: 'POST',
      path: '/api/v1/entries',
      status: { of: (output: { unchanged: boolean }) => (output.unchanged ? 200 : 201), all: [201, 200] },
      location: entryPath,
    },
    raw: [['value']],
    cli: { args: ['entity_path', 'key', 'value'], alias: 'write' },
    tools: [
      {
        name: 'mem_write',
        toolset: 'core',
        description:
          'Save something worth remembering: a fact, decision, lesson or procedure. One subject per key; writing the key ' +
          'again makes a new version.',
        fields: [
          'entity_path',
          'key',
          'value',
          'confidence',
          'memory_type',
          'pattern_refs',
          'shared',
          'ttl_seconds',
          'artifact_refs',
          'if_version',
          'branch',
        ],
        gives: ['version', 'unchanged', 'quality', 'stale_reads'],
        about: {
          entity_path: 'Subject, e.g. checkout/payments',
          key: 'e.g. retry-policy',
          ttl_seconds: 'Forget it after',
          artifact_refs: 'Files it is about: {uri, label, media_type}',
          if_version: 'Only if at this version; 0: only if new',
        },
        idempotent: true,
      },
    ],
    input: () =>
      z
        .strictObject({ ...draft, if_unchanged: ifUnchanged, branch: s.branch.default('main'), ...author })
        .refine(oneTtl, oneTtlMessage),
    output: () =>
      s.entry
        .extend({ unchanged: z.boolean(), quality: s.quality, stale_reads: staleReads })
        .meta({ id: 'WrittenEntry', description: 'The entry as it now stands.' }),
    errors: ['branch_not_found', 'version_conflict', 'stale_reads', 'value_too_large', 'contract_violated'],
    example: (n) => ({ ...example, value: { max_attempts: 5 + n, backoff: 'exponential' }, ...claim }),
  }),

  'entries.read': operation({
    summary: 'Read an entry',
    description:
      'The current version; or an old one by `version`, or as it was at a time by `as_of`. Old versions come without the ' +
      'standing fields (outcomes, evidence, recalls).',
    module: 'entries',
    effect: 'read',
    cost: 1,
    http: {
      method: 'GET',
      path: entryPath,
      aliases: [{ method: 'GET', path: '/api/v1/entry' }],
      etag: (output: { version: number; seq: number; standing_no?: number }) =>
        `${output.version}.${output.seq}.${output.standing_no ?? 0}`,
    },
    cli: { args: ['entity_path', 'key'], alias: 'read' },
    tools: [
      {
        name: 'mem_read',
        toolset: 'core',
        description: 'Read one entry by path and key, whole. Old versions by version or as_of.',
        fields: ['entity_path', 'key', 'version', 'as_of', 'branch'],
        gives: ['value', 'version', 'confidence', 'memory_type', 'provenance', 'evidence_status'],
        about: { entity_path: 'Path', key: 'Key' },
        miss: 'mem_search with a few words, or mem_list with entity_path to see which keys there are',
      },
    ],
    input: () =>
      z
        .strictObject({
          ...address,
          version: s.version.optional().meta({ description: 'This version, instead of the current one.' }),
          as_of: s.timestamp.optional().meta({ description: 'As it was at this time.' }),
        })
        .refine((input) => input.version === undefined || input.as_of === undefined, {
          message: 'give version or as_of, not both',
          path: ['as_of'],
        }),
    output: () => z.union([s.entry, s.entryVersion]),
    errors: entryErrors,
    example: () => example,
  }),

  'entries.list': operation({
    summary: 'List entries',
    description:
      'Current entries by path and key, or newest first with `sort=recent`. A page that had to look at very many entries ' +
      'to fill its filters ends early, with `has_more`.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/entries' },
    cli: { args: ['entity_path'], alias: 'list' },
    tools: [
      {
        name: 'mem_list',
        toolset: 'core',
        description: 'List entries of a path (a/b), its children (a/*) or all below (a/**). Long values are cut.',
        fields: ['entity_path', 'memory_type', 'since', 'sort', 'fields', 'limit', 'cursor', 'branch'],
        gives: ['entries', 'next_cursor'],
        about: { entity_path: 'Path or glob', fields: 'meta: without values', sort: 'Default path', since: 'ISO time' },
        limit: 20,
        miss: 'a wider entity_path such as a/**, or mem_search with a few words',
      },
      {
        name: 'mem_my_entries',
        toolset: 'core',
        description: 'List what you wrote yourself, newest first.',
        fields: ['entity_path', 'fields', 'limit', 'cursor', 'branch'],
        gives: ['entries', 'next_cursor'],
        about: { entity_path: 'Path or glob', fields: 'meta: without values' },
        limit: 20,
        self: 'agent_id',
        miss: 'mem_whoami to see under which name you write, or mem_list to see what others wrote',
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        branch: s.branch.default('main'),
        agent_id: s.agentId.optional().meta({ description: 'Only what this agent wrote.' }),
        memory_type: s.memoryType.optional(),
        min_confidence: s.confidence.optional(),
        max_confidence: s.confidence.optional(),
        since: s.timestamp.optional().meta({ description: 'Written at or after.' }),
        until: s.timestamp.optional().meta({ description: 'Written before.' }),
        sort: z
          .enum(['path', 'recent'])
          .optional()
          .meta({ description: 'By path and key, or newest first. Default: path; recent where `agent_id` is given.' }),
        fields: z
          .enum(['all', 'meta'])
          .default('all')
          .meta({ description: '`meta` leaves out values and artifact refs.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        entries: z.array(
          s.entry.partial({ value: true, artifact_refs: true }).meta({
            id: 'ListedEntry',
            description: 'An entry; `fields=meta` leaves out the value and the artifact refs.',
          }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor'],
    example: () => ({ entity_path: 'checkout/**', min_confidence: 0.5 }),
  }),

  'entries.history': operation({
    summary: 'List the versions of an entry',
    description: 'Newest first, tombstones included.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    http: {
      method: 'GET',
      path: `${entryPath}/history`,
      aliases: [
        { method: 'GET', path: '/api/v1/history' },
        { method: 'GET', path: '/api/v1/history/{entity_path}/{key}' },
      ],
    },
    cli: { args: ['entity_path', 'key'], alias: 'history' },
    tools: [
      {
        name: 'mem_history',
        toolset: 'data',
        description: 'List the versions of an entry, newest first: who changed what, and when.',
        fields: ['entity_path', 'key', 'since', 'until', 'limit', 'cursor', 'branch'],
        gives: ['versions', 'next_cursor'],
        about: { entity_path: 'Path', key: 'Key', since: 'ISO time', until: 'ISO time' },
        limit: 20,
        miss: 'mem_search with a few words, or mem_list with entity_path to see which keys there are',
      },
    ],
    input: () => z.strictObject({ ...address, ...between, limit: s.limit, cursor: s.cursor }),
    output: () =>
      z.object({
        entity_path: s.entityPath,
        key: s.key,
        version_count: z.int(),
        versions: z.array(s.entryVersion),
        ...s.page,
      }),
    errors: [...entryErrors, 'invalid_cursor'],
    example: () => example,
  }),

  'entries.delete': operation({
    summary: 'Delete an entry',
    description: 'Writes a tombstone version. History keeps everything; `entries.restore` brings a version back.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    removes: 'entries.write',
    http: { method: 'DELETE', path: entryPath, aliases: [{ method: 'DELETE', path: '/api/v1/entry' }] },
    cli: { args: ['entity_path', 'key'], alias: 'delete' },
    input: () => z.strictObject({ ...address, if_version: ifVersion, ...author }),
    output: () => s.entryVersion,
    errors: [...entryErrors, 'version_conflict'],
    example: () => example,
  }),

  'entries.restore': operation({
    summary: 'Restore an old version',
    description: 'Writes the content of an old version again, as a new version.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/restore',
      status: { of: (output: { unchanged: boolean }) => (output.unchanged ? 200 : 201), all: [201, 200] },
      location: entryPath,
    },
    cli: { args: ['entity_path', 'key', 'version'], alias: 'restore-version' },
    input: () => z.strictObject({ ...address, version: s.version, if_version: ifVersion, ...author }),
    output: () =>
      s.entry
        .extend({ unchanged: z.boolean(), restored_from: s.version })
        .meta({ id: 'RestoredEntry', description: 'The entry as it now stands.' }),
    errors: [...entryErrors, 'version_conflict', 'contract_violated'],
    example: () => ({ ...example, version: 1 }),
  }),
};
