import type { ByteLimit, FirstRows } from './database.ts';
import type { RowBuilder } from './sqlite-rows.ts';

export function takeFirst<T>(found: Iterable<unknown>, limit: ByteLimit, build?: RowBuilder): FirstRows<T>;
