import * as z from 'zod';
import { listing, nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { nodeName, nodeType, relation } from './graph.ts';

const MAX_LINES = 10_000;
const MAX_IMPORTED = 1000;

const header = z
  .object({
    record: z.literal('header'),
    format: z.literal('mem-export'),
    version: z.int(),
    seq: z.int(),
    audit_no: z.int(),
    audit_hash: z.string(),
    item_no: z.int(),
    last_at: z.int(),
    counts: z.record(z.string(), z.int()),
  })
  .meta({ id: 'ExportHeader', description: 'The first line of an export.' });

const admin =
  'It is about the whole account, private entries of all agents included, so a key that is kept to a part of the ' +
  'account is refused.';

export const exportLine = z.looseObject({ record: z.string() }).meta({ id: 'ExportLine' });

const importedEntry = z
  .strictObject({
    entity_path: s.entityPath,
    key: s.key,
    value: s.jsonValue,
    agent_id: s.agentId.optional().meta({ description: 'Who wrote it there. Without it, the caller.' }),
    session_id: s.sessionId.optional(),
    written_at: s.timestamp.optional().meta({ description: 'When it was written there. Without it, now.' }),
    ttl_at: s.timestamp.optional().meta({ description: 'When the entry expires.' }),
    source_id: s.label(512).optional().meta({ description: 'Its id in the other system; recorded in the log.' }),
    confidence: s.confidence.optional(),
    memory_type: s.memoryType.optional(),
    shared: z.boolean().optional(),
    pattern_refs: z.array(s.patternRef).max(100).optional(),
    artifact_refs: z.array(s.artifactRef).max(100).optional(),
  })
  .meta({ id: 'ImportedEntry' });

const importedLink = z
  .strictObject({
    source: nodeName,
    source_type: nodeType.default('entry'),
    relation,
    target: nodeName,
    target_type: nodeType.default('entry'),
    agent_id: s.agentId.optional(),
  })
  .meta({ id: 'ImportedLink', description: 'An edge of the graph; entries go by `entity_path/key`.' });

/** Exports and imports a whole account, and imports entries from other systems. */
export const transfer = {
  'transfer.export': listing({
    summary: 'Export the whole account, or the entries of a branch',
    description:
      `JSON Lines, as the account was at one moment: a header, then every record of every kind. ${admin} ` +
      'With `branch`: the entries that the caller may read on a branch, or in a past state of one, each as it is there ' +
      'and in the form that `entries.import` takes.',
    module: 'transfer',
    effect: 'read',
    cost: 1,
    admin: true,
    whole: true,
    narrowed_by: 'branch',
    needs_notes: 'of the whole account',
    // Reads every table in pages, so that memory holds no more than the client has taken.
    items_per_statement: 100,
    http: { method: 'GET', path: '/api/v1/export' },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        branch: s.branch
          .optional()
          .meta({ description: 'Only the entries of this branch or past state. Without it, everything.' }),
      }),
    output: () => exportLine,
    errors: ['branch_not_found', 'forbidden', 'module_not_installed'],
    example: () => ({}),
  }),

  'transfer.status': operation({
    summary: 'See how far an import has come',
    description: `Lines of an export that were received and not yet put into the account. ${admin}`,
    module: 'transfer',
    effect: 'read',
    cost: 1,
    admin: true,
    whole: true,
    http: { method: 'GET', path: '/api/v1/import' },
    cli: { hidden: true },
    input: () => z.strictObject({}),
    output: () =>
      z.object({
        received: z.int().meta({ description: 'How many lines are there; 0 where no import is under way.' }),
        header: header.nullable(),
        last_line_hash: z.string().nullable().meta({ description: 'SHA-256 of the last line received.' }),
        seq: z.int().meta({ description: 'Of the account as it is.' }),
        is_empty: z.boolean().meta({ description: 'Nobody has written to the account, so an import may begin.' }),
      }),
    errors: ['forbidden'],
    example: () => ({}),
  }),

  'transfer.add': operation({
    summary: 'Hand over lines of an export',
    description:
      'Keeps lines beside the account until `transfer.finish` puts all of them into it at once. All lines of a call are ' +
      `checked first: where one is wrong, none is taken. The account must be empty. ${admin}`,
    module: 'transfer',
    effect: 'write',
    cost: 2,
    admin: true,
    whole: true,
    http: { method: 'POST', path: '/api/v1/import' },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        from: z.int().min(0).meta({ description: 'How many lines of the file come before these.' }),
        lines: z.array(z.string().min(1)).min(1).max(MAX_LINES).meta({ description: 'Without their line ends.' }),
        dry_run: z.boolean().default(false).meta({ description: 'Only check the lines, whatever is in the account.' }),
      }),
    output: () => z.object({ dry_run: z.boolean(), received: z.int() }),
    errors: ['forbidden', 'conflict'],
    example: () => ({
      from: 0,
      lines: [
        '{"record":"header","format":"mem-export","version":1,"seq":0,"audit_no":0,"audit_hash":"","item_no":0,"last_at":0,"counts":{}}',
      ],
      dry_run: true,
    }),
  }),

  'transfer.finish': operation({
    summary: 'Put the lines received into the account',
    description:
      'In one transaction: until it has ended the account is empty, and after it the account is whole. The log goes on ' +
      `where that of the exported account ended. ${admin}`,
    module: 'transfer',
    effect: 'write',
    cost: 2,
    admin: true,
    whole: true,
    needs_notes: 'of the whole account',
    // Reads the lines in pages, and writes the records of each kind in a page together.
    items_per_statement: 100,
    http: { method: 'POST', path: '/api/v1/import/finish' },
    cli: { hidden: true },
    input: () => z.strictObject({}),
    output: () => z.object({ seq: z.int(), counts: z.record(z.string(), z.int()) }),
    errors: ['forbidden', 'conflict'],
    example: () => ({}),
  }),

  'transfer.discard': operation({
    summary: 'Drop the lines received',
    description: `Ends an import that is under way; the account stays as it is. ${admin}`,
    module: 'transfer',
    effect: 'write',
    cost: 2,
    admin: true,
    whole: true,
    http: { method: 'DELETE', path: '/api/v1/import' },
    cli: { hidden: true },
    input: () => z.strictObject({}),
    output: () => z.object({ discarded: z.int() }),
    errors: ['forbidden'],
    example: () => ({}),
  }),

  'entries.import': operation({
    summary: 'Take over entries from another system',
    description:
      'Writes versions that keep the author and the time they had elsewhere; in the log they come now. All or nothing. ' +
      'An entry with the same value stays as it is, and nothing is written before the newest version of an entry: ' +
      'the same call again changes nothing. One without a time is written if its author last gave another value. `on_conflict: skip` keeps every existing entry. Edges that are ' +
      'there are not stated again.',
    module: 'transfer',
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/import/entries' },
    cli: { hidden: true },
    raw: [['entries', '*', 'value']],
    input: () =>
      z.strictObject({
        source: s.label(128).meta({ description: 'The system it comes from; recorded in the log.' }),
        entries: z.array(importedEntry).max(MAX_IMPORTED).default([]),
        links: z.array(importedLink).max(MAX_IMPORTED).default([]),
        on_conflict: z.enum(['version', 'skip']).default('version'),
        dry_run: z.boolean().default(false),
        branch: s.branch.default('main'),
        agent_id: s.agentId.optional(),
        session_id: s.sessionId.optional(),
      }),
    output: () =>
      z.object({
        dry_run: z.boolean(),
        import_id: z.string().nullable(),
        entries: z.array(
          z.object({
            entity_path: s.entityPath,
            key: s.key,
            status: z.enum(['written', 'unchanged', 'skipped', 'older']).meta({
              description:
                '`older`: the existing version was written later. `skipped`: the existing entry differs, and was kept.',
            }),
            version: z.int().meta({ description: 'The version with this value, or the newest one.' }),
          }),
        ),
        links: z.array(
          z.object({
            status: z.enum(['written', 'unchanged', 'missing']).meta({
              description: '`missing`: an end names an entry that does not exist, so there is nothing to link.',
            }),
          }),
        ),
        warnings: s.writeWarnings,
        written: z.int(),
        linked: z.int(),
      }),
    errors: ['branch_not_found', 'forbidden', 'contract_violated', 'value_too_large', 'looks_like_secret'],
    example: (n) => ({
      source: 'notes',
      entries: [
        { entity_path: 'checkout/payments', key: 'imported-note', value: nth('Retries are capped at three.', n) },
      ],
    }),
  }),
};
