import type { Module } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { readDocuments } from './follow-log.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables, wordIndexes } from './tables.ts';

/** Files of rooms: their texts by page, and search in them. */
export const roomDocuments: Module = {
  name: 'room-documents',
  migrations,
  tables,
  wordIndexes,
  handlers: { ...changeHandlers, ...readHandlers },
  consumers: [readDocuments],
};
