import { entityPath } from './shapes.ts';

/** By path, unless the entries of one agent are asked for. */
export const listOrderOf = (given: {
  sort?: 'path' | 'recent' | undefined;
  agent_id?: string | undefined;
}): 'path' | 'recent' => given.sort ?? (given.agent_id === undefined ? 'path' : 'recent');

/** Where a list by path begins, so that a client can jump. */
export const fromPath = entityPath
  .optional()
  .meta({ description: 'By path: begin here, or at the next path that there is.' });
