import * as z from 'zod';
import { fromPath, listOrderOf } from '../list-order.ts';
import { operation } from '../operation.ts';
import { includeQuarantined } from '../quarantine-shapes.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';
import { draft, ifUnchanged, oneTtl, oneTtlMessage, staleReads, writeErrors } from './drafts.ts';

const address = s.address;
const between = { since: s.since, until: s.until };
export const entryErrors = ['not_found', 'branch_not_found'] as const;
export const entryExample = { entity_path: 'checkout/payments', key: 'retry-policy' };
const claim = { confidence: 0.9, memory_type: 'fact' } as const;
export const entryPath = '/api/v1/entries/{entity_path}/{key}';

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
    in_room: 'paths',
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
        slim: ['entity_path', 'key', 'value', 'confidence', 'memory_type', 'shared', 'if_version', 'branch'],
        description:
          'Save what will matter again: a fact, decision, lesson or procedure. One subject per key; the key again makes a ' +
          'new version.',
        fields: [
          'entity_path',
          'key',
          'value',
          'confidence',
          'memory_type',
          'pattern_refs',
          'shared',
          'ttl_seconds',
          'if_version',
          'branch',
        ],
        unlisted: ['artifact_refs'],
        about: {
          entity_path: 'Subject, e.g. checkout/payments',
          key: 'e.g. retry-policy',
          value: 'Text or any JSON',
          confidence: '0 to 1',
          memory_type: 'Default fact',
          pattern_refs: 'Patterns it follows',
          shared: 'false: only you see it',
          ttl_seconds: 'Forget it after',
          if_version: 'Only if at this version; 0: only if new',
        },
      },
    ],
    input: () =>
      z
        .strictObject({ ...draft, if_unchanged: ifUnchanged, branch: s.branch.default('main'), ...author })
        .refine(oneTtl, oneTtlMessage),
    output: () =>
      s.entry
        .extend({ unchanged: z.boolean(), quality: s.quality, warnings: s.writeWarnings, stale_reads: staleReads })
        .meta({ id: 'WrittenEntry', description: 'The entry as it now stands.' }),
    errors: writeErrors,
    example: (n) => ({ ...entryExample, value: { max_attempts: 5 + n, backoff: 'exponential' }, ...claim }),
  }),

  'entries.read': operation({
    summary: 'Read an entry',
    description:
      'The current version; or an old one by `version`, or as it was at a time by `as_of`. Old versions come without the ' +
      'standing fields (outcomes, evidence, recalls).',
    module: 'entries',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: {
      method: 'GET',
      path: entryPath,
      aliases: [{ method: 'GET', path: '/api/v1/entry' }],
      // A browser keeps one answer per address, whosever key asked: entries of other accounts must not have the same one.
      etag: (output: { version: number; seq: number; standing_no?: number; chain_start: string }) =>
        `${output.version}.${output.seq}.${output.standing_no ?? 0}.${output.chain_start}`,
    },
    cli: { args: ['entity_path', 'key'], alias: 'read' },
    tools: [
      {
        name: 'mem_read',
        toolset: 'core',
        slim: ['entity_path', 'key', 'version', 'branch'],
        whole: true,
        description: 'Read one entry by path and key, whole. Old versions by version or as_of.',
        fields: ['entity_path', 'key', 'version', 'as_of', 'branch'],
        unlisted: ['include_quarantined'],
        about: { entity_path: 'Path', key: 'Key', version: 'Not the current one', as_of: 'As it was then' },
        miss: 'mem_search with a few words, or mem_list with entity_path to see which keys there are',
      },
    ],
    input: () =>
      z
        .strictObject({
          ...address,
          version: s.version.optional().meta({ description: 'This version, instead of the current one.' }),
          as_of: s.timestamp.optional().meta({ description: 'As it was at this time.' }),
          include_quarantined: includeQuarantined,
        })
        .refine((input) => input.version === undefined || input.as_of === undefined, {
          message: 'give version or as_of, not both',
          path: ['as_of'],
        }),
    output: () => z.union([s.entry, s.entryVersion]),
    errors: entryErrors,
    example: () => entryExample,
  }),

  'entries.list': operation({
    summary: 'List entries',
    description:
      'Current entries by path and key, or newest first with `sort=recent`. A page that had to look at very many entries ' +
      'to fill its filters, or has 4 MiB of documents, ends early, with `has_more`.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'GET', path: '/api/v1/entries' },
    cli: { args: ['entity_path'], alias: 'list' },
    tools: [
      {
        name: 'mem_list',
        toolset: 'core',
        slim: ['entity_path', 'include_descendants', 'sort', 'fields', 'limit', 'cursor', 'branch'],
        hits: true,
        description: 'List entries of a path (a/b), its children (a/*) or all below it (a/**). Long values are cut.',
        fields: ['entity_path', 'include_descendants', 'since', 'sort', 'fields', 'limit', 'cursor', 'branch'],
        unlisted: [
          'agent_id',
          'memory_type',
          'min_confidence',
          'max_confidence',
          'evidence_status',
          'until',
          'from_path',
          'include_quarantined',
        ],
        about: {
          entity_path: 'Path or glob',
          include_descendants: 'And what is below',
          fields: 'meta: without values',
          sort: 'Default path',
          since: 'ISO time',
        },
        limit: 20,
        miss: 'entity_path with include_descendants, or mem_search with a few words',
      },
      {
        name: 'mem_my_entries',
        toolset: 'core',
        hits: true,
        description: 'List what you wrote yourself, newest first.',
        fields: ['entity_path', 'include_descendants', 'limit', 'cursor', 'branch'],
        unlisted: ['fields', 'include_quarantined'],
        about: { entity_path: 'Path or glob', include_descendants: 'And what is below' },
        limit: 20,
        self: 'agent_id',
        miss: 'mem_whoami to see under which name you write, or mem_list to see what others wrote',
      },
    ],
    input: () =>
      z
        .strictObject({
          entity_path: s.pathGlob.optional(),
          include_descendants: s.includeDescendants,
          branch: s.branch.default('main'),
          agent_id: s.agentId.optional().meta({ description: 'Only what this agent wrote.' }),
          memory_type: s.memoryType.optional(),
          min_confidence: s.confidence.optional(),
          max_confidence: s.confidence.optional(),
          evidence_status: s.evidenceStatus
            .optional()
            .meta({ description: 'Only entries of which outcomes say this; `untested`: no outcome has.' }),
          since: s.since.meta({ description: 'Written at or after this time, or from the start of this day (UTC).' }),
          until: s.until.meta({ description: 'Written before this time, or up to the end of this day (UTC).' }),
          sort: z.enum(['path', 'recent']).optional().meta({
            description: 'By path and key, or newest first. Default: path; recent where `agent_id` is given.',
          }),
          from_path: fromPath,
          fields: z
            .enum(['all', 'meta'])
            .default('all')
            .meta({ description: '`meta` leaves out values, artifact refs and events.' }),
          include_quarantined: includeQuarantined,
          limit: s.limit,
          cursor: s.cursor,
        })
        .refine((input) => input.from_path === undefined || listOrderOf(input) === 'path', {
          message: 'needs sort=path',
          path: ['from_path'],
        }),
    output: () =>
      z.object({
        entries: z.array(
          s.entry.partial({ value: true, artifact_refs: true }).meta({
            id: 'ListedEntry',
            description: 'An entry; `fields=meta` leaves out the value, the artifact refs and the event.',
          }),
        ),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({ entity_path: 'checkout/**', min_confidence: 0.5 }),
  }),

  'entries.history': operation({
    summary: 'List the versions of an entry',
    description: 'Newest first, tombstones included.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
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
        toolset: 'core',
        description: 'List the versions of an entry, newest first.',
        fields: ['entity_path', 'key', 'limit', 'cursor', 'branch'],
        unlisted: ['since', 'until'],
        about: { entity_path: 'Path', key: 'Key' },
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
        quarantined: z
          .literal(true)
          .optional()
          .meta({ description: 'The entry is under quarantine: reads leave it out.' }),
        versions: z.array(s.entryVersion),
        ...s.page,
      }),
    errors: [...entryErrors, 'invalid_cursor', 'log_rewound'],
    example: () => entryExample,
  }),
};
