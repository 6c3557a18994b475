import { known, listOf, type Members, numberOf, objectOf, textOf } from '../members.ts';
import { commitNode, entryNode, isCommitSha, linksIn, webPages } from '../references.ts';
import { firstLine, keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult, ResultItem, ResultLink } from '../types.ts';
import { requestLinks } from './deployments.ts';
import { bodyOf, type Frame, linksTo, loginOf, nameOf } from './frame.ts';

/** The order of what happened in the same second. */
export const progressRank = (status: unknown): number =>
  status === 'completed' ? 3 : status === 'in_progress' ? 2 : 1;

/** A run of a workflow; a run that is repeated keeps its id. */
export function transformRun(frame: Frame): EntryResult[] {
  const { payload, path } = frame;
  const run = objectOf(payload.workflow_run);
  const id = textOf(run.id);
  if (id === undefined) return [];
  return [
    known({
      operation: 'write' as const,
      entity_path: path,
      key: keyOf('workflow-run', id),
      merge: true,
      occurred_at: latest(timeOf(run.updated_at), timeOf(payload.since)) ?? timeOf(run.created_at),
      rank: progressRank(run.status),
      value: known({ ...membersOf(run, objectOf(payload.workflow)), approval: approvalOf(frame) }),
      artifact_refs: webPages(run.html_url),
      links: [...linksOf(path, run), ...approverLinks(frame)],
    }),
  ];
}

function approverLinks({ action, payload }: Frame): ResultLink[] {
  const isDecided = action === 'approved' || action === 'rejected';
  return isDecided ? linksTo(`${action}_by`, loginOf(payload.approver)) : [];
}

/** Some environments ask for an approval before a run may deploy to them. */
function approvalOf({ type, action, payload }: Frame): Members | undefined {
  if (type !== 'deployment_review') return undefined;
  const who = loginOf(payload.approver) ?? loginOf(payload.requestor) ?? loginOf(payload.requester);
  const environment = nameOf(payload.environment) ?? nameOf(objectOf(listOf(payload.workflow_job_runs)[0]).environment);
  return known({ state: action, who, environment, comment: nameOf(payload.comment) });
}

function membersOf(run: Members, workflow: Members): Members {
  const message = textOf(objectOf(run.head_commit).message);
  return known({
    state: textOf(run.conclusion) ?? nameOf(run.status),
    title: nameOf(run.display_title) ?? (message === undefined ? nameOf(run.name) : firstLine(message)),
    name: nameOf(run.name) ?? nameOf(workflow.name),
    author: loginOf(run.triggering_actor) ?? loginOf(run.actor),
    updated_at: timeOf(run.updated_at),
    conclusion: 'conclusion' in run ? bodyOf(run.conclusion, TITLE_CHARACTERS) : undefined,
    sha: nameOf(run.head_sha),
    branch: nameOf(run.head_branch),
    event: nameOf(run.event),
    run_number: numberOf(run.run_number),
    attempt: numberOf(run.run_attempt),
    created_at: timeOf(run.created_at),
  });
}

function linksOf(path: string, run: Members): ResultLink[] {
  const branch = textOf(run.head_branch);
  return [
    ...linksTo('started_by', loginOf(run.triggering_actor) ?? loginOf(run.actor)),
    ...commitLink(path, run.head_sha),
    ...(branch === undefined ? [] : [{ relation: 'runs_on', to: entryNode(path, keyOf('branch', branch)) }]),
    ...requestLinks('checks', path, run.pull_requests),
    ...linksIn([textOf(run.display_title), branch, textOf(objectOf(run.head_commit).message)], path),
  ];
}

export function commitLink(path: string, value: unknown, relation = 'checks'): ResultLink[] {
  const sha = textOf(value);
  return sha && isCommitSha(sha) ? [{ relation, to: commitNode(path, sha) }] : [];
}

/** A job is an item of its run. */
export function transformJob({ payload, path }: Frame): EntryResult[] {
  const job = objectOf(payload.workflow_job);
  const { run, id } = { run: textOf(job.run_id), id: textOf(job.id) };
  const started = timeOf(job.started_at) ?? timeOf(job.created_at) ?? timeOf(job.completed_at);
  if (run === undefined || id === undefined || started === undefined) return [];
  const item: ResultItem = known({
    at: started,
    state: textOf(job.conclusion) ?? nameOf(job.status),
    name: nameOf(job.name),
    completed_at: timeOf(job.completed_at),
    runner: nameOf(job.runner_name),
  });
  return [
    known({
      operation: 'write' as const,
      entity_path: path,
      key: keyOf('workflow-run', run),
      merge: true,
      occurred_at: latest(started, timeOf(job.completed_at)),
      rank: progressRank(job.status),
      value: known({ name: nameOf(job.workflow_name), sha: nameOf(job.head_sha), branch: nameOf(job.head_branch) }),
      items: { jobs: { [keyOf('job', id)]: item } },
      links: commitLink(path, job.head_sha),
    }),
  ];
}
