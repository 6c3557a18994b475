import type { AnswerItem } from './columns.ts';
import { show } from './text.ts';

export const tagCreated = ({ name, of_branch, seq }: AnswerItem): string =>
  `tagged ${show(of_branch)}@${show(seq)} as ${show(name)}: read it with --branch tags/${show(name)}\n`;

export const tagDeleted = ({ name, of_branch, seq }: AnswerItem): string =>
  `deleted the tag ${show(name)}; what it named stays: ${show(of_branch)}@${show(seq)}\n`;
