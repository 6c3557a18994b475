import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';
import { entryErrors, entryExample, entryPath } from './entries.ts';

/** Deleting an entry, and bringing it back. */
export const entryRemoval = {
  'entries.delete': operation({
    summary: 'Delete an entry',
    description: 'Writes a tombstone version. History keeps everything; `entries.restore` brings a version back.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    removes: 'entries.write',
    in_room: 'paths',
    http: { method: 'DELETE', path: entryPath, aliases: [{ method: 'DELETE', path: '/api/v1/entry' }] },
    cli: { args: ['entity_path', 'key'], alias: 'delete' },
    tools: [
      {
        name: 'mem_delete',
        toolset: 'core',
        slim: ['entity_path', 'key', 'branch'],
        description: 'Forget an entry: it comes up no more. mem_restore brings it back.',
        fields: ['entity_path', 'key', 'if_version', 'branch'],
        about: { entity_path: 'Path', key: 'Key', if_version: 'Only if at this version' },
        miss: 'mem_list with entity_path to see which keys there are; it may be deleted already',
      },
    ],
    input: () => z.strictObject({ ...s.address, if_version: s.ifVersion, ...author }),
    output: () => s.entryVersion,
    errors: [...entryErrors, 'version_conflict'],
    example: () => entryExample,
  }),

  'entries.restore': operation({
    summary: 'Restore an old version',
    description:
      'Writes the content of an old version again, as a new version; without `version` the last one before the deletion.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    in_room: 'paths',
    http: {
      method: 'POST',
      path: '/api/v1/restore',
      status: { of: (output: { unchanged: boolean }) => (output.unchanged ? 200 : 201), all: [201, 200] },
      location: entryPath,
    },
    cli: { args: ['entity_path', 'key', 'version'], alias: 'restore-version' },
    tools: [
      {
        name: 'mem_restore',
        toolset: 'core',
        slim: ['entity_path', 'key', 'version', 'branch'],
        description: 'Bring back a deleted entry, or an old version of one, as a new version.',
        fields: ['entity_path', 'key', 'version', 'branch'],
        about: { entity_path: 'Path', key: 'Key', version: 'Default: the last one' },
        miss: 'mem_history to see which versions there are',
      },
    ],
    input: () =>
      z.strictObject({
        ...s.address,
        version: s.version.optional().meta({ description: 'Default: the newest that is not a tombstone.' }),
        if_version: s.ifVersion,
        if_exists: s.ifExists,
        ...author,
      }),
    output: () =>
      s.entry
        .extend({ unchanged: z.boolean(), restored_from: s.version })
        .meta({ id: 'RestoredEntry', description: 'The entry as it now stands.' }),
    errors: [...entryErrors, 'version_conflict', 'contract_violated'],
    example: () => ({ ...entryExample, version: 1 }),
  }),
};
