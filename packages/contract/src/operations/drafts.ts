import * as z from 'zod';
import * as s from '../shapes.ts';
import { staleRead } from '../trace-shapes.ts';

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
    .meta({ description: `Default ${s.DEFAULT_CONFIDENCE}. A rewrite of the same value keeps what it has.` }),
  memory_type: s.memoryType.optional().meta({ description: 'Default `fact`, or what the entry already is.' }),
  pattern_refs: z.array(s.patternRef).max(100).optional(),
  shared: z.boolean().optional().meta({ description: 'Default true. `false`: only the writing agent sees it.' }),
  ttl_at: s.timestamp.optional().meta({ description: 'When the entry expires.' }),
  ttl_seconds: z.number().positive().max(3_155_760_000).optional().meta({ description: 'Instead of `ttl_at`.' }),
  artifact_refs: z.array(s.artifactRef).max(100).optional(),
  if_version: s.ifVersion,
  if_exists: s.ifExists,
};

export const oneTtl = (input: { ttl_at?: unknown; ttl_seconds?: unknown }) =>
  input.ttl_at === undefined || input.ttl_seconds === undefined;
export const oneTtlMessage = { message: 'give ttl_at or ttl_seconds, not both', path: ['ttl_seconds'] };

export const draftShape = z.strictObject(draft).refine(oneTtl, oneTtlMessage).meta({ id: 'Draft' });

/** What can be wrong with a write. */
export const writeErrors = [
  'entry_quarantined',
  'branch_not_found',
  'version_conflict',
  'stale_reads',
  'value_too_large',
  'looks_like_secret',
  'contract_violated',
] as const;

export const damagedParts = z
  .array(
    z.object({
      entity_path: s.entityPath.nullable(),
      key: s.key.nullable(),
      version: z.int().nullable(),
      detail: z.string(),
    }),
  )
  .meta({
    description:
      'Only where there is any: what the storage cannot read because its pages are damaged. `version` is null for an entry ' +
      'as a whole; the names are null where they cannot be read either.',
  });
