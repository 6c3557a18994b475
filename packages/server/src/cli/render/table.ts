import { cut, fit, pad, paint, type Screen, widthOf } from './text.ts';

export type Column<T> = {
  title: string;
  of: (item: T, screen: Screen) => string;
  right?: boolean;
  /** The width to which a terminal may cut it. */
  least?: number;
  /** Typed again in other commands: not cut even where the terminal is too narrow for it. */
  whole?: true;
  /** Only on a terminal that has room for it beside all others; those declared first are added first. */
  extra?: true;
};

const GAP = '  ';

type FilledColumn = {
  title: string;
  cells: readonly string[];
  right: boolean;
  natural: number;
  least: number;
  extra: boolean;
  whole: boolean;
};

/** Aligned columns with titles. An empty column is left out. On a terminal the lines fit its width. */
export function table<T>(items: readonly T[], columns: readonly Column<T>[], screen: Screen): string {
  const filled = columns
    .map((column) => toFilled(column, items, screen))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const chosen = screen.width === undefined ? filled : chooseColumns(filled, screen.width);
  const widths = screen.width === undefined ? chosen.map(({ natural }) => natural) : shareWidth(chosen, screen.width);
  const room = lineWidth(chosen, widths, screen);
  const line = (cellOf: (column: FilledColumn) => string) =>
    fit(room, layOut(chosen.map((column, at) => alignCell(cellOf(column), widths[at] as number, column.right))));
  const head = paint(
    screen,
    'dim',
    line(({ title }) => title),
  );
  const rows = items.map((_, row) => line(({ cells }) => cells[row] as string));
  return `${[head, ...rows].join('\n')}\n`;
}

function toFilled<T>(column: Column<T>, items: readonly T[], screen: Screen): FilledColumn {
  const { title, right = false, least, extra = false, whole = false } = column;
  const cells = items.map((item) => column.of(item, screen));
  // Not spread into Math.max: a list may have more items than a call takes arguments.
  const natural = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), title.length);
  return { title, cells, right, natural, least: Math.min(natural, least ?? natural), extra, whole };
}

/** The terminal, or more where a column that is not cut needs it. */
function lineWidth(columns: readonly FilledColumn[], widths: readonly number[], screen: Screen): Screen {
  if (screen.width === undefined) return screen;
  const needed = columns.findLastIndex(({ whole }) => whole) + 1;
  // What is cut off after it leaves a mark.
  const mark = needed < columns.length ? GAP.length + 1 : 0;
  return { ...screen, width: Math.max(screen.width, needed === 0 ? 0 : total(widths.slice(0, needed)) + mark) };
}

const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);

/** Adds extra columns as long as all can have their least width. */
function chooseColumns(columns: readonly FilledColumn[], width: number): FilledColumn[] {
  const chosen = new Set(columns.filter(({ extra }) => !extra));
  for (const column of columns) {
    if (chosen.has(column)) continue;
    if (total([...chosen, column].map(({ least }) => least)) > width) break;
    chosen.add(column);
  }
  return columns.filter((column) => chosen.has(column));
}

/** Gives each column its least width, and the rest of the line to the narrowest of those that need more. */
function shareWidth(columns: readonly FilledColumn[], width: number): number[] {
  const widths = columns.map(({ least }) => least);
  for (let rest = width - total(widths); rest > 0; rest--) {
    const needy = widths.flatMap((given, at) => (given < (columns[at] as FilledColumn).natural ? [at] : []));
    if (needy.length === 0) break;
    const next = needy.reduce((best, at) => ((widths[at] as number) < (widths[best] as number) ? at : best));
    widths[next] = (widths[next] as number) + 1;
  }
  return widths;
}

const alignCell = (cell: string, width: number, right: boolean): string =>
  right ? ' '.repeat(Math.max(0, width - widthOf(cell))) + cell : pad(cut(cell, width), width);

const layOut = (cells: readonly string[]): string => cells.join(GAP).trimEnd();

/** Aligned names and values. Empty values are left out. */
export function panel(pairs: readonly (readonly [string, string])[], screen: Screen): string {
  const shown = pairs.filter(([, text]) => text !== '');
  const width = shown.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return shown.map(([name, text]) => `${paint(screen, 'dim', pad(name, width))}${GAP}${text}\n`).join('');
}
