import { type Glob, parseGlob } from '@mem-service/contract';
import { sql } from '../../db/index.ts';
import {
  isNewestOfOneBranch,
  type ReadContext,
  type Scope,
  type SeenAgent,
  scopeCovers,
  scopeOverlaps,
} from '../../kernel/index.ts';
import { listDescribed } from '../profiles/index.ts';
import * as queries from './queries.ts';

type WritersPage = { after: string; limit: number };

/**
 * The agents of a view without stored counts, such as a scope or an earlier state: those that wrote its entries. Undefined
 * where stored counts exist.
 */
export function writersInScope({ scan, view, services }: ReadContext, { after, limit }: WritersPage, agentId?: string) {
  if (view.scope === undefined && isNewestOfOneBranch(view)) return undefined;
  const where = agentId === undefined ? [] : [sql`agent_id = ${agentId}`];
  return queries.listSeenWriters(scan, view, { where, after, limit, scan: services.limits.max_scanned_entries });
}

/** Adds agents that were described: a description belongs to no path. */
export async function withDescribedAgents(
  { read, caller }: ReadContext,
  writers: readonly queries.SeenWriter[],
  page: { after: string; limit: number },
): Promise<SeenAgent[]> {
  const rows = [...writers, ...(await listDescribed(read, caller.account_id, page))];
  const order = (agentId: string) => Buffer.from(agentId);
  return rows.sort((a, b) => Buffer.compare(order(a.agent_id), order(b.agent_id)));
}

const globOf = (text: string): Glob => parseGlob(text) ?? { kind: 'exact', path: text };
const overlapsScope = (scope: Scope | undefined) => (text: string) => scopeOverlaps(scope, globOf(text));

/** Leaves out declared paths that do not overlap the scope. */
export const pathsOverlappingScope = (scope: Scope | undefined, globs: readonly string[]): string[] =>
  globs.filter(overlapsScope(scope));

export function capabilitiesInScope<C extends { entity_paths: readonly string[] }>(
  scope: Scope | undefined,
  capabilities: readonly C[],
): C[] {
  if (scope === undefined) return [...capabilities];
  return capabilities.flatMap((capability) => {
    const entity_paths = pathsOverlappingScope(scope, capability.entity_paths);
    return capability.entity_paths.length > 0 && entity_paths.length === 0 ? [] : [{ ...capability, entity_paths }];
  });
}

export const contractsInScope = <C extends { entity_path: string }>(
  scope: Scope | undefined,
  contracts: readonly C[],
): C[] => contracts.filter(({ entity_path }) => overlapsScope(scope)(entity_path));

/** Whether the globs include paths outside the caller's write scope. */
export const isOutsideScope = (scope: Scope | undefined, globs: readonly string[]): boolean =>
  globs.some((text) => !scopeCovers(scope, globOf(text)));
