import { objectOf, textOf } from '../members.ts';
import { entryNode } from '../references.ts';
import { keyOf } from '../text.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent } from '../types.ts';
import { transformAlert } from './alerts.ts';
import { transformPush, transformRef } from './branches.ts';
import { transformCommit } from './commits.ts';
import { transformDeployment } from './deployments.ts';
import { type Frame, frameOf } from './frame.ts';
import { transformHappening } from './happenings.ts';
import { transformDiscussion, transformIssue } from './issues.ts';
import { transformOther } from './other-things.ts';
import { transformPullRequest } from './pull-requests.ts';
import { transformRelease } from './releases.ts';
import { transformJob, transformRun } from './runs.ts';
import { transformWiki } from './wiki.ts';

type FamilyTransform = (frame: Frame) => readonly ConnectorResult[];

/** The families of events. The keys are types of events, as the header `x-github-event` has them. */
const FAMILIES: readonly [FamilyTransform, string][] = [
  [transformPullRequest, 'pull_request pull_request_review pull_request_review_comment pull_request_review_thread'],
  [transformIssue, 'issues issue_comment'],
  [transformDiscussion, 'discussion discussion_comment'],
  [transformDeployment, 'deployment deployment_status'],
  [transformPush, 'push'],
  [transformRef, 'create delete'],
  [transformRelease, 'release'],
  [transformRun, 'workflow_run deployment_review'],
  [transformJob, 'workflow_job'],
  [transformCommit, 'check_run check_suite status commit_comment'],
  [transformAlert, 'code_scanning_alert dependabot_alert secret_scanning_alert repository_vulnerability_alert'],
  [transformAlert, 'security_advisory repository_advisory'],
  [transformOther, 'milestone repository package registry_package branch_protection_rule team page_build'],
  [transformWiki, 'gollum'],
  [transformHappening, 'branch_protection_configuration custom_property custom_property_values deploy_key'],
  [transformHappening, 'deployment_protection_rule fork github_app_authorization installation'],
  [transformHappening, 'installation_repositories installation_target issue_dependencies label marketplace_purchase'],
  [transformHappening, 'member membership merge_group meta org_block organization personal_access_token_request ping'],
  [transformHappening, 'project project_card project_column projects_v2 projects_v2_item projects_v2_status_update'],
  [transformHappening, 'public repository_dispatch repository_import repository_ruleset'],
  [transformHappening, 'secret_scanning_alert_location secret_scanning_scan security_and_analysis sponsorship star'],
  [transformHappening, 'sub_issues team_add watch workflow_dispatch'],
];

const transforms = new Map(FAMILIES.flatMap(([transform, types]) => types.split(' ').map((type) => [type, transform])));

/** Turns the events of GitHub into one entry per pull request, issue, deployment and so on, whose versions are its states. */
export class GitHubConnector implements Connector {
  identify(payload: unknown, headers: Readonly<Record<string, string>>): Partial<DeliveryName> {
    const { 'x-github-event': type, 'x-github-delivery': id } = headers;
    const action = textOf(objectOf(payload).action) ?? '';
    const event_type = type && ACTION.test(action) ? `${type}.${action}` : type;
    return { ...(event_type && { event_type }), ...(id && { id }) };
  }

  transform(event: InboundEvent): readonly ConnectorResult[] {
    const frame = frameOf(event);
    const results = transforms.get(frame.type)?.(frame) ?? [];
    return results.length > 0 ? results.map(withDistinctLinks) : [rawResult(event, frame)];
  }
}

/** As in `pull_request.closed`. */
const ACTION = /^[a-z_]{1,60}$/;
const MAX_LINKS = 50;

/** Each edge once, and none from a thing to itself. */
function withDistinctLinks(result: ConnectorResult): ConnectorResult {
  if (result.operation !== 'write' || result.links === undefined) return result;
  const own = entryNode(result.entity_path, result.key);
  const links = new Map(
    result.links.filter(({ to }) => to !== own).map((link) => [`${link.relation} ${link.to}`, link]),
  );
  return { ...result, links: [...links.values()].slice(0, MAX_LINKS) };
}

/** The event as it came: without what its type should have, there is no thing that it could be about. */
const rawResult = ({ event_type, id, payload }: InboundEvent, { path }: Frame): ConnectorResult => ({
  operation: 'write',
  entity_path: path,
  key: keyOf('raw', `${event_type}-${id}`),
  value: { event_type, id, payload },
  raw: true,
});
