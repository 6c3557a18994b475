export function groupBySeq<T extends { seq: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.seq);
    if (group) group.push(row);
    else groups.set(row.seq, [row]);
  }
  return groups;
}
