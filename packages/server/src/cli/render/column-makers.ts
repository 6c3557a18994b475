import type { Column } from './table.ts';
import { show, whenOn } from './text.ts';

export type AnswerItem = Record<string, unknown>;

export const of = (title: string, field: string): Column<AnswerItem> => ({ title, of: (item) => show(item[field]) });
export const count = (title: string, field: string): Column<AnswerItem> => ({ ...of(title, field), right: true });
export const time = (field: string): Column<AnswerItem> => ({
  title: 'WHEN',
  of: (item, screen) => whenOn(screen, item[field]),
});
export const ratio = (title: string, field: string): Column<AnswerItem> => ({
  title,
  right: true,
  of: (item) => (typeof item[field] === 'number' ? item[field].toFixed(2) : ''),
});

export const version = count('VER', 'version');

/** A list for a terminal: the columns that it always has, in this order, and those for which it may have room. */
export type TerminalLayout = {
  main: readonly string[];
  extra?: readonly string[];
  /** Names that other commands take: they are not cut, like ids. */
  names?: readonly string[];
};
