// A table belongs to the module that declares it, and only that module's SQL may name it; other modules use what the
// owner exports. Checks the sources as text, which is fast. The first argument is the folder of the workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Migrations are history: in them, a table may still belong to another module. */
const isMigration = (file) => /(^|\/)migrations(\.ts$|\/)/.test(file);

export function checkOwners(root) {
  const files = sourcesOf(root);
  const owners = ownersOf(files);
  const problems = [];
  const named = namingPattern([...owners.keys()]);
  for (const { file, owner, text } of files) {
    if (isMigration(file)) continue;
    for (const found of text.matchAll(named)) {
      const table = found[1] ?? found[2];
      if (owners.get(table) === owner) continue;
      const line = text.slice(0, found.index).split('\n').length;
      problems.push(`${file}:${line} names ${table}, which belongs to ${owners.get(table)}`);
    }
  }
  return { owners, problems };
}

/** Every source file with its module, without comments. */
function sourcesOf(root) {
  const packages = join(root, 'packages');
  return readdirSync(packages).flatMap((name) => {
    const source = join(packages, name, 'src');
    if (!existsSync(source)) return [];
    return readdirSync(source, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => ({
        file: relative(root, join(source, path)).split(sep).join('/'),
        owner: ownerOf(path.split(sep)),
        text: readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, keepLines),
      }));
  });
}

const keepLines = (comment) => comment.replace(/[^\n]/g, ' ');

const ownerOf = ([top, module]) => (top === 'modules' ? module : top);

/** Matches a table in SQL or in a statement written as data: `FROM entries`, `table: 'entries'`, … */
function namingPattern(tables) {
  const names = tables.join('|');
  return new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO|TABLE|VACUUM)\\s+(${names})\\b(?!\\()|\\btable: '(${names})'`, 'g');
}

/** Tables by the module that declares them: `exported(…)` with a statement, or an object with `left_out` or `view`. */
function ownersOf(files) {
  const owners = new Map();
  for (const { file, owner, text } of files) {
    const declare = (table) => {
      const other = owners.get(table);
      if (other !== undefined && other !== owner) throw new Error(`${table} is declared by ${other} and by ${owner}`);
      owners.set(table, owner);
    };
    const folder = dirname(file);
    const texts = files
      .filter((one) => one.owner === owner && dirname(one.file).startsWith(folder))
      .map((one) => one.text);
    for (const [, table, statement] of text.matchAll(/\bexported\(\s*(?:\{\s*table: '(\w+)'|(?:\w+\.)?(\w+),)/g))
      declare(table ?? tableOf(statement, texts.join('\n')));
    for (const [, table] of text.matchAll(/\{\s*table: '(\w+)',[^}]*?(?:left_out|shared): /g)) declare(table);
    for (const [, table, view] of text.matchAll(/\btable: '(\w+)',\s*view: '(\w+)'/g)) {
      declare(table);
      declare(view);
    }
  }
  return owners;
}

/** The table of a statement written as data, including one derived from another statement. */
function tableOf(statement, text) {
  const [, body = ''] = new RegExp(`\\bconst ${statement}\\b[^=]*= \\{([\\s\\S]*?)\\};`).exec(text) ?? [];
  const table = /\btable: '(\w+)'/.exec(body)?.[1];
  const base = /\.\.\.(\w+)/.exec(body)?.[1];
  if (table === undefined && base === undefined) throw new Error(`there is no table in ${statement}`);
  return table ?? tableOf(base, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');
  const { problems } = checkOwners(root);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`${problems.length} statements name a table of another module`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
