import { exported, type judgeShapes, type TenantTable } from '@mem-service/server/module';
import { definitionProblems } from '../evaluation/index.ts';
import { insertLooks } from './looks.ts';
import { upsertBehaviors } from './queries.ts';

const FROM_ADMIN = 'what an operator of the account looks for, not what an agent wrote';

/** A matcher that was made from a trace has the names of its tools, which may hold what a check that is given may not. */
function withPlainTools(checks: unknown): unknown {
  if (Array.isArray(checks)) return checks.map(withPlainTools);
  if (typeof checks !== 'object' || checks === null) return checks;
  const members = Object.entries(checks).map(([name, member]) => {
    if (name === 'tool') return [name, plainName(member)];
    return [name, name === 'tools' && Array.isArray(member) ? member.map(plainName) : withPlainTools(member)];
  });
  return Object.fromEntries(members);
}

const MAX_NAME_CHARS = 256;

const plainName = (tool: unknown): unknown =>
  typeof tool === 'string' && tool.length > 0 && tool.length <= MAX_NAME_CHARS ? 'tool' : tool;

function unsound(matcher: string): string | undefined {
  const checks = JSON.parse(matcher) as judgeShapes.TraceCheck[];
  const [first] = definitionProblems({ kind: 'code', checks });
  return first && `${first.path.replace(/^definition(?:\.checks)?/, 'matcher')}: ${first.message}`;
}

export const tables: readonly TenantTable[] = [
  exported(upsertBehaviors, {
    kind: 'behavior',
    key: ['behavior_id'],
    nullable: ['for_agent', 'for_path', 'trace_id', 'trace_agent', 'backfill_id'],
    json: ['matcher'],
    holds: ({ behaviorShapes, shapes, problemOf, flag, notNegative }) => ({
      ...{ behavior_id: behaviorShapes.behaviorId, version: shapes.version, for_path: shapes.pathGlob },
      ...{
        status: behaviorShapes.behavior.shape.status,
        matcher: (checks) => problemOf(behaviorShapes.matcher, withPlainTools(checks)),
      },
      ...{ opens_incidents: flag, updated_seq: notNegative },
    }),
    check: ({ matcher }) => unsound(matcher as string),
    stored: ({ matcher, description }) => [matcher as string, description as string],
    agents: {
      agent_id: { erased: 'rename' },
      for_agent: { erased: 'rename' },
      // Its matcher quotes what the agent did.
      trace_agent: { erased: 'delete the row' },
    },
    entries: { for_path: { kept: FROM_ADMIN } },
  }),
  exported(insertLooks, {
    kind: 'behavior_look',
    key: ['behavior_id', 'behavior_version', 'trace_seq'],
    holds: ({ behaviorShapes, shapes, z, time, notNegative }) => ({
      ...{ behavior_id: behaviorShapes.behaviorId, behavior_version: shapes.version, trace_seq: notNegative },
      ...{ result: z.enum(['match', 'none', 'unknown']), traced_at: time },
    }),
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
];
