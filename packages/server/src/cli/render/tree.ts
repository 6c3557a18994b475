import { fit, isTerminal, paint, type Screen } from './text.ts';

export type TreeNode = { text: string; below?: readonly TreeNode[] };

/** The prefixes of a line and of its children, with and without a following sibling. */
const DRAWN = { more: ['├─ ', '│  '], last: ['└─ ', '   '] } as const;
const INDENTED = { more: ['  ', '  '], last: ['  ', '  '] } as const;

/** Lines below a head: drawn on a terminal, indented elsewhere. */
export function tree(head: string, nodes: readonly TreeNode[], screen: Screen): string {
  const lines = [fit(screen, head)];
  drawNodes(nodes, { lines, screen, indent: '' });
  return `${lines.join('\n')}\n`;
}

type TreeDrawing = { lines: string[]; screen: Screen; indent: string };

function drawNodes(nodes: readonly TreeNode[], { lines, screen, indent }: TreeDrawing): void {
  const strokes = isTerminal(screen) ? DRAWN : INDENTED;
  nodes.forEach(({ text, below = [] }, at) => {
    const [own, under] = strokes[at === nodes.length - 1 ? 'last' : 'more'];
    lines.push(fit(screen, paint(screen, 'dim', indent + own) + text));
    drawNodes(below, { lines, screen, indent: indent + under });
  });
}

/** The most children of one kind that are shown. */
export const MOST = 100;

export const more = (rest: number): TreeNode[] => (rest > 0 ? [{ text: `and ${rest} more, which --json shows` }] : []);

/** A branch with its title; left out if it has no children, cut if it has very many. */
export function branch(title: string, below: readonly TreeNode[]): TreeNode[] {
  if (below.length === 0) return [];
  return [{ text: title, below: [...below.slice(0, MOST), ...more(below.length - MOST)] }];
}
