import { cut, pad, paint, type Screen, widthOf } from './text.ts';

export type Column<T> = { title: string; of: (item: T) => string; right?: boolean };

const GAP = '  ';
const MIN_LAST_WIDTH = 12;

/** Aligned columns with titles. An empty column is left out; the last one is cut at the screen's edge. */
export function table<T>(items: readonly T[], columns: readonly Column<T>[], screen: Screen): string {
  const filled = columns
    .map((column) => ({ ...column, cells: items.map((item) => column.of(item)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const widths = filled.map(({ title, cells }) => Math.max(title.length, ...widthsOf(cells)));
  const line = (cells: readonly string[]) => layOut(cells, { widths, screen, right: filled.map(({ right }) => right) });
  const head = paint(screen, 'dim', line(filled.map(({ title }) => title)));
  const rows = items.map((_, row) => line(filled.map(({ cells }) => cells[row] as string)));
  return `${[head, ...rows].join('\n')}\n`;
}

/** Not spread into Math.max: a list may have more items than a call takes arguments. */
const widthsOf = (cells: readonly string[]) => [cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), 0)];

type TableLayout = { widths: readonly number[]; screen: Screen; right: readonly (boolean | undefined)[] };

function layOut(cells: readonly string[], { widths, screen, right }: TableLayout): string {
  const last = cells.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  return cells
    .map((cell, at) => {
      const width = widths[at] as number;
      if (right[at]) return ' '.repeat(width - widthOf(cell)) + cell;
      if (at < last) return pad(cell, width);
      return screen.width === undefined ? cell : cut(cell, Math.max(MIN_LAST_WIDTH, screen.width - before));
    })
    .join(GAP)
    .trimEnd();
}

/** Aligned names and values. Empty values are left out. */
export function panel(pairs: readonly (readonly [string, string])[], screen: Screen): string {
  const shown = pairs.filter(([, text]) => text !== '');
  const width = shown.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return shown.map(([name, text]) => `${paint(screen, 'dim', pad(name, width))}${GAP}${text}\n`).join('');
}
