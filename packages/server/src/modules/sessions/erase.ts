import type { Erased, Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** Forgets what was asked of paths that are to go. That entries were read is kept in numbers, which then name nothing. */
export const forgetItems = (work: Work, target: Erased): Promise<number> => queries.deleteItemsAt(work.tx, target);

export const countItemsOf = (work: Work, target: Erased): Promise<number> => queries.countItemsAt(work.tx, target);
