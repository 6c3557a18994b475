import { Fault } from '@mem-service/contract';
import type { Services } from './module.ts';

/**
 * Refuses work that must reach every table of an account, such as an erasure or an export: only its module knows what
 * a table holds.
 */
export function requireAllModules({ absent_modules }: Pick<Services, 'absent_modules'>): void {
  const [module] = absent_modules;
  if (module === undefined) return;
  const todo =
    'start with the package that has it (@mem-service/pro, without MEM_PRO=off), or drop its tables and its rows in schema_migrations';
  throw new Fault(
    'module_not_installed',
    `the module ${module} is not installed, but has tables in the store: ${todo}`,
    {
      module,
    },
  );
}
