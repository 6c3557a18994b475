import { Fault, type Glob, globText, type Operation, operations } from '@mem-service/contract';
import type { Authorize } from './authorize.ts';
import type { Principal } from './caller.ts';
import { pathsNamedIn } from './named-paths.ts';
import { type Scope, scopeCovers } from './scope.ts';

type ScopePermission = 'READ' | 'WRITE';

const scopeFor = (key: Principal, right: ScopePermission): Scope | undefined =>
  right === 'READ' ? key.read : key.write;

/** The refusal names the requested path only, and reveals nothing about stored entries. */
export function missingScope(permission: ScopePermission, glob?: Glob): Fault {
  if (!glob) return new Fault('forbidden', `this key does not have ${permission} on anything`, { permission });
  const entity_path = globText(glob);
  const message = `this key does not have ${permission} on ${entity_path}`;
  return new Fault('forbidden', message, { permission, entity_path });
}

/**
 * A read needs the READ permission on every path that it names, a write the WRITE permission. A read by glob, or of
 * what is below a path, is not refused: it returns the part within the scope. An operation that names no path needs the permission on at least one.
 */
export const authorizeScope: Authorize = (name, input, { key }) => {
  if (!key || (key.read === undefined && key.write === undefined)) return;
  const { effect, admin, cites, lists_below } = operations[name] as Operation;
  if (effect !== 'read' && effect !== 'write') return;
  const right = effect === 'read' ? 'READ' : 'WRITE';
  if (scopeFor(key, right)?.some((globs) => globs.length === 0)) throw missingScope(right);
  // Paths in the definition of a key are checked against the admin's own scope elsewhere.
  if (admin) return;
  const needed = cites ? 'READ' : right;
  const scope = scopeFor(key, needed);
  if (scope === undefined) return;
  for (const { glob, isPath } of pathsNamedIn(name, input))
    if (((isPath && !lists_below) || effect === 'write') && !scopeCovers(scope, glob)) throw missingScope(needed, glob);
};
