import { pathSegment } from './text.ts';
import type { ResultLink } from './types.ts';

/** How much is searched for references, of all texts together, and how many are kept. */
const SEARCHED_CHARACTERS = 16_000;
const MAX_REFERENCES = 20;
const MAX_NUMBERS = 60;
const MAX_URL = 2048;

/** An entry as a node of the graph: a slash in its key is written `%2F`. */
export const entryNode = (entity_path: string, key: string): string =>
  `${entity_path}/${key.replaceAll('%', '%25').replaceAll('/', '%2F')}`;

export const personNode = (system: string, name: string): string => `people/${system}/${pathSegment(name)}`;

export const repositoryPath = (owner: string, name: string): string =>
  `repos/${pathSegment(owner)}/${pathSegment(name)}`;

export const jiraProjectPath = (project: string): string => `projects/jira/${pathSegment(project)}`;

/** `PROJ-123` as the entry that the issue tracker's connector writes. */
export function jiraIssueNode(issueKey: string): string {
  const project = issueKey.slice(0, issueKey.lastIndexOf('-'));
  return entryNode(jiraProjectPath(project), `issue-${issueKey}`);
}

const FULL_SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
export const isCommitSha = (text: string): boolean => FULL_SHA.test(text) && !/^0+$/.test(text);

export const commitNode = (repository: string, sha: string): string => entryNode(repository, `commit-${sha}`);

/**
 * Things of other systems that texts name: addresses of issues, pull requests and commits, `owner/repo#12`, `PROJ-12`, and with the
 * path of a repository also `#12` and whole commit hashes. A whole hash beside one `owner/repo` is a commit of it. Each once, and not more than twenty.
 */
export function linksIn(texts: readonly (string | undefined)[], repository?: string): ResultLink[] {
  const found = new Map<string, ResultLink>();
  let left = SEARCHED_CHARACTERS;
  const budget = { numbers: MAX_NUMBERS };
  for (const text of texts) {
    if (text === undefined) continue;
    for (const link of linksOf(text.slice(0, left), repository, budget)) {
      const earlier = found.get(link.to);
      if (earlier ? earlier.relation === 'mentions' : found.size < MAX_REFERENCES) found.set(link.to, link);
    }
    left -= text.length;
    if (left <= 0 || found.size >= MAX_REFERENCES) break;
  }
  return [...found.values()];
}

/** How many numbers are still looked at. */
type Budget = { numbers: number };

function* linksOf(text: string, repository: string | undefined, budget: Budget): Iterable<ResultLink> {
  // Most texts have none of these, and a look for a sign is cheaper than for a pattern.
  if (text.includes('https://github.com/')) yield* webAddressesIn(text);
  if (text.includes('#')) yield* numbersIn(text, repository, budget);
  for (const key of issueKeysIn(text)) yield { relation: 'mentions', to: jiraIssueNode(key) };
  const path = repository ?? repositoryIn(text);
  if (path === undefined) return;
  for (const [sha] of text.matchAll(/\b[0-9a-f]{40}\b/g))
    if (isCommitSha(sha)) yield { relation: 'mentions', to: commitNode(path, sha) };
}

/** `owner/repo` in a text that has a commit hash too. Where there are two, neither is certain. */
function repositoryIn(text: string): string | undefined {
  if (!text.includes('/') || !/\b[0-9a-f]{40}\b/.test(text)) return undefined;
  const named = text
    .replace(GITHUB_ADDRESS, ' ')
    .matchAll(/(?<![\w./@:-])([A-Za-z0-9][\w-]{0,38})\/([\w.-]{0,99}\w)(?![\w/-])/g);
  const paths = new Set([...named].map(([, owner = '', name = '']) => repositoryPath(owner, name)));
  return paths.size === 1 ? [...paths][0] : undefined;
}

const GITHUB_ADDRESS =
  /https:\/\/github\.com\/([\w.-]{1,100})\/([\w.-]{1,100})\/(pull|issues|commit)\/([0-9a-f]{40}|[1-9]\d{0,8}\b)/g;

function* webAddressesIn(text: string): Iterable<ResultLink> {
  for (const [, owner = '', name = '', kind, id = ''] of text.matchAll(GITHUB_ADDRESS)) {
    const repository = repositoryPath(owner, name);
    if (kind === 'commit' && isCommitSha(id)) yield { relation: 'mentions', to: commitNode(repository, id) };
    else if (kind !== 'commit' && id.length < 10)
      yield { relation: 'mentions', to: entryNode(repository, `${kind === 'pull' ? 'pr' : 'issue'}-${id}`) };
  }
}

const CLOSING = /\b(close[sd]?|fix(e[sd])?|resolve[sd]?):?\s$/i;
const PULL_REQUEST = /(\bpull request|\bPR)\s$/i;
/** Room for the name of a repository, and for the words before it. */
const LOOK_BACK = 160;
const WORDS = 16;

/** A number may name an issue or a pull request; the words around it decide. */
function* numbersIn(text: string, repository: string | undefined, budget: Budget): Iterable<ResultLink> {
  for (const { 1: number = '', index } of text.matchAll(/#([1-9]\d{0,8})\b/g)) {
    if (budget.numbers-- <= 0) return;
    const before = text.slice(Math.max(0, index - LOOK_BACK), index);
    const isJoined = /[\w./&-]$/.test(before.slice(-1));
    const other = isJoined ? otherRepository(before) : undefined;
    const path = isJoined ? other?.path : repository;
    if (path === undefined) continue;
    const words = before.slice(0, before.length - (other?.length ?? 0)).slice(-WORDS);
    const isSquashed = words.endsWith('(') && text[index + number.length + 1] === ')';
    const kind = isSquashed || PULL_REQUEST.test(words) ? 'pr' : 'issue';
    const relation = CLOSING.test(words) ? 'closes' : 'mentions';
    yield { relation, to: entryNode(path, `${kind}-${number}`) };
  }
}

/** `owner/name` at the end of a text, with nothing joined to it on the left. */
function otherRepository(text: string): { path: string; length: number } | undefined {
  const slash = text.lastIndexOf('/');
  const name = text.slice(slash + 1);
  const [, owner] = /(?:^|[^\w./-])([\w.-]{1,39})$/.exec(text.slice(Math.max(0, slash - 40), Math.max(0, slash))) ?? [];
  if (owner === undefined || !/^[\w.-]{1,100}$/.test(name)) return undefined;
  return { path: repositoryPath(owner, name), length: owner.length + 1 + name.length };
}

/** Names of standards and the like, which look like the keys of issues. */
const NOT_PROJECTS = new Set(
  'AES ANSI ASCII BASE CVE CWE DES ECMA EIP ES FIPS GPT HTTP IEEE ISO JSR MD PEP RFC RSA SHA SSL TLS UCS UTC UTF'.split(
    ' ',
  ),
);

/** Keys of issues such as `PROJ-123`, each once. */
export function issueKeysIn(text: string): string[] {
  const keys = new Set<string>();
  for (const [, key = '', project = ''] of text.matchAll(
    /(?<![A-Za-z0-9-])(([A-Z][A-Z0-9_]{1,19})-[1-9]\d{0,8})(?![A-Za-z0-9])/g,
  )) {
    if (!NOT_PROJECTS.has(project)) keys.add(key);
    if (keys.size === MAX_REFERENCES) break;
  }
  return [...keys];
}

/** The addresses of pages among some values, each once. */
export function webPages(...values: readonly unknown[]): string[] {
  const pages = values.filter(
    (value): value is string =>
      typeof value === 'string' && value.length <= MAX_URL && /^https?:\/\/[^\s<>"\p{Cc}\p{Cs}]+$/u.test(value),
  );
  return [...new Set(pages)];
}
