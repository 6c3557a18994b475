/** A calendar month, UTC. */
export type Period = { name: string; start: number; end: number };

export function periodOf(ms: number): Period {
  const date = new Date(ms);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}
