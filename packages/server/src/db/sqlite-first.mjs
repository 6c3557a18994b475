// Plain JavaScript, because the thread that reads imports it too.

/** Takes rows of a running statement as long as they are within a limit of bytes, and at least one. */
export function takeFirst(found, { columns, bytes }, build = (row) => ({ ...row })) {
  const rows = [];
  let sum = 0;
  for (const one of found) {
    const row = build(one);
    for (const name of columns) if (typeof row[name] === 'string') sum += Buffer.byteLength(row[name]);
    if (rows.length > 0 && sum > bytes) return { rows, more: true };
    rows.push(row);
  }
  return { rows, more: false };
}
