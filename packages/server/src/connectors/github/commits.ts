import { known, type Members, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, firstLine, ITEM_CHARACTERS, keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult, ResultItem, ResultLink } from '../types.ts';
import { requestLinks } from './deployments.ts';
import { bodyOf, type Frame, linksTo, loginOf, nameOf } from './frame.ts';
import { commentPart } from './pull-requests.ts';
import { progressRank } from './runs.ts';

/** What an event says about a commit. */
type CommitPart = {
  sha: string | undefined;
  at: string | undefined;
  rank: number;
  items: EntryResult['items'];
  value?: Members;
  pages: readonly unknown[];
  links: ResultLink[];
};

const PARTS = new Map<string, (frame: Frame) => CommitPart>([
  ['check_run', checkRunPart],
  ['check_suite', checkSuitePart],
  ['status', statusPart],
  ['commit_comment', commentOfCommit],
]);

/** A commit with its checks, the states that other systems gave it, and comments. */
export function transformCommit(frame: Frame): EntryResult[] {
  const part = PARTS.get(frame.type)?.(frame);
  if (part?.sha === undefined) return [];
  return [
    known({
      operation: 'write' as const,
      entity_path: frame.path,
      key: keyOf('commit', part.sha),
      merge: true,
      occurred_at: part.at,
      rank: part.rank,
      value: known({ ...part.value, sha: part.sha }),
      items: part.items,
      artifact_refs: webPages(...part.pages),
      links: part.links,
    }),
  ];
}

/** A check that is run again has another id and the same name: the name is what its item is known by. */
function checkRunPart({ payload, path, action }: Frame): CommitPart {
  const run = objectOf(payload.check_run);
  const started = timeOf(run.started_at);
  const at = latest(started, timeOf(run.completed_at));
  const state = action === 'rerequested' ? 'requested' : (textOf(run.conclusion) ?? nameOf(run.status));
  const output = objectOf(run.output);
  const item = { at, state, text: bodyOf(output.title, ITEM_CHARACTERS) ?? undefined };
  const name = nameOf(run.name);
  return {
    sha: nameOf(run.head_sha),
    at,
    rank: action === 'rerequested' ? 4 : progressRank(run.status),
    value: known({ last_check: lastCheck(name, state), branch: nameOf(objectOf(run.check_suite).head_branch) }),
    items: itemsOf('checks', name, item),
    pages: [run.html_url],
    links: requestLinks('part_of', path, run.pull_requests),
  };
}

function checkSuitePart({ payload, path, action }: Frame): CommitPart {
  const suite = objectOf(payload.check_suite);
  const at = timeOf(suite.updated_at) ?? timeOf(suite.created_at);
  const state = action === 'rerequested' ? 'requested' : (textOf(suite.conclusion) ?? nameOf(suite.status));
  const app = objectOf(suite.app);
  const name = nameOf(app.slug) ?? nameOf(app.name);
  const message = textOf(objectOf(suite.head_commit).message);
  return {
    sha: nameOf(suite.head_sha),
    at,
    rank: action === 'rerequested' ? 4 : progressRank(suite.status),
    value: known({
      last_check: lastCheck(name, state),
      title: message && firstLine(message),
      author: loginOf(objectOf(suite.head_commit).author),
      branch: nameOf(suite.head_branch),
    }),
    items: itemsOf('suites', name, { at, state }),
    pages: [],
    links: [...requestLinks('part_of', path, suite.pull_requests), ...linksIn([message], path)],
  };
}

function statusPart({ payload, path }: Frame): CommitPart {
  const at = timeOf(payload.updated_at) ?? timeOf(payload.created_at);
  const state = nameOf(payload.state);
  const name = nameOf(payload.context);
  const commit = objectOf(payload.commit);
  const message = textOf(objectOf(commit.commit).message);
  const author = loginOf(commit.author) ?? loginOf(objectOf(commit.commit).author);
  const text = bodyOf(payload.description, ITEM_CHARACTERS) ?? undefined;
  return {
    sha: nameOf(payload.sha),
    at,
    rank: state === 'pending' ? 1 : 2,
    value: known({ last_check: lastCheck(name, state), title: message && firstLine(message), author }),
    items: itemsOf('statuses', name, { at, state, text }),
    pages: [commit.html_url, payload.target_url],
    links: [...linksTo('authored_by', loginOf(commit.author)), ...linksIn([message], path)],
  };
}

function commentOfCommit(frame: Frame): CommitPart {
  const comment = objectOf(frame.payload.comment);
  const { at, items, links } = commentPart(frame);
  const text = textOf(comment.body);
  return {
    sha: nameOf(comment.commit_id),
    at,
    rank: 0,
    items,
    pages: [comment.html_url],
    links: [...links, ...linksIn([text], frame.path)],
  };
}

const lastCheck = (name: string | undefined, state: string | undefined): string | undefined =>
  name !== undefined && state !== undefined ? cutText(`${name}: ${state}`, TITLE_CHARACTERS) : undefined;

type Timeless = Omit<ResultItem, 'at'> & { at: string | undefined };

function itemsOf(list: string, name: string | undefined, item: Timeless): EntryResult['items'] {
  if (name === undefined || item.at === undefined) return undefined;
  return { [list]: { [keyOf('check', name)]: known({ ...item, at: item.at }) } };
}
