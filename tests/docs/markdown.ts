import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export const readDoc = (file: string): string => readFileSync(join(root, file), 'utf8');

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.amfs', '.data', 'coverage']);

/** Every .md file of the project, by its path from the root. */
export function allDocs(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : allDocs(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });
}

export type MarkdownBlock = { kind: string; text: string; line: number; section: string };

/** The fenced blocks of a document, each with the second-level heading it stands under. */
export function blocksOf(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: MarkdownBlock | undefined;
  let section = '';
  markdown.split('\n').forEach((line, i) => {
    const fence = /^```(\S*)/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = undefined;
    } else if (fence) open = { kind: fence[1] ?? '', text: '', line: i + 1, section };
    else if (open) open.text += `${line}\n`;
    else if (line.startsWith('## ')) section = line.slice(3).trim();
  });
  if (open) throw new Error(`the block that begins in line ${open.line} does not end`);
  return blocks;
}

/** The text without its fenced blocks. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '');
}

/** The rows of the table under a heading, each as its cells without backticks. */
export function tableOf(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`there is no heading ${heading}`);
  const from = lines.findIndex((line, i) => i > start && line.startsWith('|'));
  const rows = lines.slice(from + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The names that headings can be linked by. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = [...proseOf(markdown).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links to other files and headings that lead nowhere. */
export function brokenLinks(file: string): string[] {
  const targets = [...proseOf(readDoc(file)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => {
    if (/^[a-z][a-z+.-]*:/.test(target)) return false;
    const [path = '', anchor] = target.split('#', 2);
    const linked = path === '' ? file : relative(root, join(root, dirname(file), path));
    if (!existsSync(join(root, linked))) return true;
    return anchor !== undefined && !anchorsOf(readDoc(linked)).has(anchor);
  });
}

const SOURCE_FOLDERS = ['.', 'packages/server/src', 'packages/contract/src', 'packages/sdk/src'];

/** Files of the code that are named in the text and do not exist. Those in hidden folders belong to other programs. */
export function missingFiles(file: string): string[] {
  const text = readDoc(file).replaceAll(/\]\([^)]*\)/g, ']');
  const named = [...text.matchAll(/(?<![\w/.-])\w[\w.-]*(?:\/[\w.-]+)+\.(?:ts|mjs|json|grit)\b/g)].map(
    (match) => match[0],
  );
  return [...new Set(named)].filter((path) => !SOURCE_FOLDERS.some((folder) => existsSync(join(root, folder, path))));
}
