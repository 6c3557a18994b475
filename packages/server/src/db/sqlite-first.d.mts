import type { ByteLimit, FirstRows } from './database.ts';
import type { Row, SqlValue } from './sql.ts';

export type RowBuilder = (values: readonly SqlValue[]) => Row;

export function compileRowBuilder(names: readonly string[]): RowBuilder;
export function takeFirst<T>(found: Iterable<unknown>, limit: ByteLimit, build?: RowBuilder): FirstRows<T>;
