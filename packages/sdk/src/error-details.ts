import type { FaultCode, FieldError, Output, Problem } from '@mem-service/contract';
import { type Camel, camel } from './camel.ts';

type CamelEntryKey = { entityPath: string; key: string };

/** The members that a problem has besides its code. */
type DetailsByCode = {
  not_found: Partial<CamelEntryKey>;
  forbidden: {
    /** What another key would have to be, where that helps. */
    needs?: 'admin_key' | 'whole_account' | 'all_agents' | 'operator';
    /** What the scopes of the key do not give, and where. */
    permission?: 'READ' | 'WRITE';
    entityPath?: string;
    /** Who the key may not act as. */
    agentId?: string;
  };
  branch_not_found: { branch: string };
  module_not_installed: { module: string };
  branch_access_denied: { branch: string; permission: 'read' | 'read_write' };
  branch_closed: { branch: string; statusOfBranch: string };
  branch_protected: { branch: string };
  branch_read_only: { branch: string };
  merge_conflicts: {
    mergeId: string;
    conflicts: number;
    /** Those that the caller may not see. */
    hidden: number;
    conflicting: (CamelEntryKey & { reason: string })[];
  };
  target_moved: { branch: string };
  merge_too_large: { maxEntries?: number; maxBytes?: number };
  log_rewound: { /** Where the log ends. */ lastSeq: number /** The same, to follow after. */; position: string };
  method_not_allowed: { allow: string[] };
  version_conflict: CamelEntryKey & { /** 0: the entry does not exist. */ currentVersion: number };
  stale_reads: { staleReads: Camel<Output<'entries.write'>['stale_reads']> };
  value_too_large: Partial<CamelEntryKey> & { maxValueBytes?: number };
  invalid_input: { /** Paths are in snake_case, as on the wire. */ errors: FieldError[] };
  contract_violated: CamelEntryKey & { errors: (FieldError & { rule: string })[] };
  read_only: { /** The address of a server that takes writes. */ primary?: string };
  replica_behind: { primary?: string /** Where the replica is. */; seq: number; minSeq: number };
  answer_erased: { idempotencyKey: string };
  idempotency_mismatch: { idempotencyKey: string };
  internal: { requestId?: string };
};

export type MemErrorDetails<C extends FaultCode> = C extends keyof DetailsByCode
  ? DetailsByCode[C]
  : Readonly<Record<string, unknown>>;

/** The members of a problem that belong to its code, in camelCase. */
export function detailsOf(problem: Problem): Record<string, unknown> {
  const { type: _, title: __, status: ___, detail: ____, code: _____, ...rest } = problem;
  return renamed(rest) as Record<string, unknown>;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camel(name), renamed(member)]));
}
