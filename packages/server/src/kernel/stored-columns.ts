/** A statement for a migration: from now on these columns of a table count as storage of its accounts. */
export function countColumns(table: string, columns: readonly string[], where = 'true'): string {
  const bytes = columns.map((column) => `coalesce(octet_length(t.${column}), 0)`).join(' + ');
  return `UPDATE accounts SET storage_bytes = storage_bytes + (SELECT coalesce(sum(${bytes}), 0)
    FROM ${table} AS t WHERE t.account_id = accounts.account_id AND ${where})`;
}
