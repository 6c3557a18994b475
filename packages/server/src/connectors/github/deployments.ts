import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import { commitNode, entryNode, isCommitSha, linksIn, webPages } from '../references.ts';
import { cutText, ITEM_CHARACTERS, keyOf, timeOf } from '../text.ts';
import type { EntryResult, ResultLink } from '../types.ts';
import { bodyOf, type Frame, linksTo, loginOf, nameOf } from './frame.ts';

/** The order of states that have the same time. */
const STATES = ['created', 'waiting', 'queued', 'pending', 'in_progress', 'success', 'failure', 'error', 'inactive'];
const MAX_REQUESTS = 10;

/** A deployment. Its state is that of its latest status, each of which is an item. */
export function transformDeployment(frame: Frame): EntryResult[] {
  const { payload } = frame;
  const deployment = objectOf(payload.deployment);
  const status = frame.type === 'deployment_status' ? objectOf(payload.deployment_status) : undefined;
  const id = textOf(deployment.id);
  if (id === undefined) return [];
  const state = (status ? nameOf(status.state) : 'created') ?? 'created';
  return [
    known({
      operation: 'write' as const,
      entity_path: frame.path,
      key: keyOf('deployment', id),
      merge: true,
      occurred_at: timeOfStatus(status) ?? timeOf(deployment.created_at) ?? timeOf(deployment.updated_at),
      rank: Math.max(0, STATES.indexOf(state)),
      value: membersOf({ deployment, status, state }),
      items: status && statusItem(status, state),
      artifact_refs: webPages(status?.environment_url, status?.log_url, status?.target_url),
      links: linksOf(frame, deployment, status),
      outcome: outcomeOf(deployment, state),
    }),
  ];
}

const timeOfStatus = (status: Members | undefined): string | undefined =>
  status && (timeOf(status.created_at) ?? timeOf(status.updated_at));

type Deployed = { deployment: Members; status: Members | undefined; state: string };

function membersOf({ deployment, status, state }: Deployed): Members {
  const environment = nameOf(status?.environment) ?? nameOf(deployment.environment);
  return known({
    state,
    title: cutText(
      `${nameOf(deployment.task) ?? 'deploy'} ${nameOf(deployment.ref) ?? ''} to ${environment ?? '?'}`,
      400,
    ),
    environment,
    author: loginOf(deployment.creator),
    updated_by: status && loginOf(status.creator),
    updated_at: timeOfStatus(status) ?? timeOf(deployment.updated_at),
    sha: nameOf(deployment.sha),
    ref: nameOf(deployment.ref),
    task: nameOf(deployment.task),
    production: typeof deployment.production_environment === 'boolean' ? deployment.production_environment : undefined,
    created_at: timeOf(deployment.created_at),
    url: nameOf(status?.environment_url),
    description: bodyOf(status?.description) ?? bodyOf(deployment.description) ?? undefined,
  });
}

function statusItem(status: Members, state: string): EntryResult['items'] {
  const id = textOf(status.id);
  const at = timeOfStatus(status);
  if (id === undefined || at === undefined) return undefined;
  const text = textOf(status.description);
  const item = { at, state, who: loginOf(status.creator), text: text && cutText(text, ITEM_CHARACTERS) };
  return { statuses: { [keyOf('status', id)]: known(item) } };
}

function linksOf({ path, payload }: Frame, deployment: Members, status: Members | undefined): ResultLink[] {
  const sha = textOf(deployment.sha);
  const ref = textOf(deployment.ref);
  const run = objectOf(payload.workflow_run);
  const runId = textOf(run.id);
  const isBranch = ref !== undefined && !isCommitSha(ref) && requestOfRef(ref) === undefined;
  return [
    ...linksTo('deployed_by', loginOf(deployment.creator)),
    ...(sha && isCommitSha(sha) ? [{ relation: 'deploys', to: commitNode(path, sha) }] : []),
    ...(isBranch ? [{ relation: 'deploys', to: entryNode(path, keyOf('branch', ref)) }] : []),
    ...requestLinks('deploys', path, [...listOf(run.pull_requests).slice(0, MAX_REQUESTS), requestOfRef(ref)]),
    ...(runId ? [{ relation: 'run_by', to: entryNode(path, keyOf('workflow-run', runId)) }] : []),
    ...linksIn([ref, textOf(deployment.description), status && textOf(status.description)], path),
  ];
}

/** A pull request can be deployed by its own ref: `refs/pull/12/merge`. */
function requestOfRef(ref = ''): Members | undefined {
  const number = /^(?:refs\/)?pull\/(\d{1,9})\//.exec(ref)?.[1];
  return number === undefined ? undefined : { number };
}

/** Edges to the pull requests that a run, a check or a deployment names. */
export const requestLinks = (relation: string, path: string, requests: unknown): ResultLink[] =>
  listOf(requests)
    .slice(0, MAX_REQUESTS + 1)
    .map((request) => textOf(objectOf(request).number))
    .filter((number) => number !== undefined)
    .map((number) => ({ relation, to: entryNode(path, keyOf('pr', number)) }));

/** A session that named the commit learns how its deployment ended. */
function outcomeOf(deployment: Members, state: string): EntryResult['outcome'] {
  const outcome_ref = nameOf(deployment.sha);
  if (outcome_ref === undefined) return undefined;
  if (state === 'success') return { outcome_ref, outcome_type: 'success' };
  if (state !== 'failure' && state !== 'error') return undefined;
  const isProduction = deployment.production_environment === true || deployment.environment === 'production';
  return { outcome_ref, outcome_type: isProduction ? 'failure' : 'minor_failure' };
}
