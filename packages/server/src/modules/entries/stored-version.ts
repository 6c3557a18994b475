import { shapes } from '@mem-service/contract';
import * as z from 'zod';
import type { Row } from '../../db/index.ts';
import { toIso, toIsoOrNull } from '../../kernel/index.ts';
import { MAX_TRACES } from './rules/verdict-standing.ts';

const document = shapes.entryVersion.omit({ confidence: true, deleted: true }).strict();

const counted = z.int().min(0);
const judgedTrace = z.tuple([z.int(), z.number().min(0), z.number().min(0), z.int()]);

/** How an entry stands, as `entries.standing` holds it. */
const standing = z.strictObject({
  outcome_count: counted,
  success_count: counted,
  failure_count: counted,
  evidence_success: z.number().min(0),
  evidence_failure: z.number().min(0),
  prior_confidence: shapes.confidence.nullable(),
  last_outcome: z.string().nullable(),
  last_outcome_at: z.int().nullable(),
  discredited_at: z.int().nullable(),
  validators: z.array(z.string()),
  tier: shapes.entry.shape.tier,
  priority_score: z.number().nullable(),
  importance_score: z.number().nullable(),
  importance_dimensions: z.record(z.string(), z.number()).nullable(),
  verdicts: z
    .strictObject({
      own_confidence: shapes.confidence,
      own_discredited_at: z.int().nullable(),
      line_count: counted,
      traces: z.array(judgedTrace).max(MAX_TRACES),
    })
    .optional(),
});

const firstOf = (name: string, { issues }: z.ZodError): string => {
  const at = [name, ...(issues[0]?.path ?? [])].join('.');
  return `${at}: ${issues[0]?.message}`;
};

/** What both a document and the columns beside it hold. */
function recordedTwice(row: Row, { provenance, ...inside }: z.output<typeof document>): [string, unknown, unknown][] {
  return [
    ['version', inside.version, row.version],
    ['seq', inside.seq, row.seq],
    ['shared', inside.shared, row.shared === 1],
    ['agent_id', provenance.agent_id, row.agent_id],
    ['written_at', provenance.written_at, toIso(Number(row.written_at))],
    ['ttl_at', inside.ttl_at, toIsoOrNull(row.ttl_at === null ? null : Number(row.ttl_at))],
    ['content_hash', inside.content_hash, row.content_hash],
    ['integrity_chain', inside.integrity_chain, row.integrity_chain],
    ['commit_id', inside.commit_id, row.commit_id],
  ];
}

/** Describes what is wrong with an imported version: answers are made from the text of its document. */
export function versionProblem(row: Row): string | undefined {
  const text = String(row.document);
  if (!text.startsWith('{') || !text.endsWith('}')) return 'document must be one JSON object';
  const given: unknown = JSON.parse(text);
  const parsed = document.safeParse(given);
  if (!parsed.success) return firstOf('document', parsed.error);
  const { entity_path, key } = given as z.output<typeof document>;
  if (entity_path !== parsed.data.entity_path || key !== parsed.data.key)
    return 'document: entity_path and key must be in Unicode NFC';
  const different = recordedTwice(row, parsed.data).find(([, within, beside]) => within !== beside);
  return different && `document: ${different[0]} differs from that of the record`;
}

/** Describes what is wrong with the standing of an imported entry. */
export function headProblem(row: Row): string | undefined {
  if (row.standing === null) return undefined;
  const parsed = standing.safeParse(JSON.parse(String(row.standing)));
  return parsed.success ? undefined : firstOf('standing', parsed.error);
}
