import { known, type Members, objectOf, textOf } from '../members.ts';
import { webPages } from '../references.ts';
import { cutText, keyOf, latest, TITLE_CHARACTERS, timeOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { bodyOf, type Frame, linksTo, loginOf, nameOf } from './frame.ts';
import { commitLink } from './runs.ts';

type Alert = { key: string; title: string | undefined; value: Members; body?: unknown };

const ALERTS = new Map<string, (alert: Members) => Alert | undefined>([
  ['code_scanning_alert', codeScanning],
  ['dependabot_alert', dependency],
  ['secret_scanning_alert', secretScanning],
  ['repository_vulnerability_alert', vulnerability],
  ['security_advisory', advisory],
  ['repository_advisory', advisory],
]);

/** An alert or advisory about security. The secret that an alert is about is never kept. */
export function transformAlert(frame: Frame): EntryResult[] {
  const { payload, path } = frame;
  const source = objectOf(payload.repository_advisory ?? payload.security_advisory ?? payload.alert);
  const alert = ALERTS.get(frame.type)?.(source);
  if (alert === undefined) return [];
  const times = [source.updated_at, source.fixed_at, source.dismissed_at, source.resolved_at, source.published_at];
  const at = latest(...[...times, source.withdrawn_at, source.created_at].map(timeOf));
  const by = loginOf(source.dismissed_by) ?? loginOf(source.resolved_by);
  const severity = nameOf(source.severity);
  const head = {
    state: stateOf(frame, source),
    title: alert.title,
    severity,
    updated_by: frame.sender,
    updated_at: at,
  };
  return [
    known({
      operation: 'write' as const,
      entity_path: path,
      key: alert.key,
      merge: true,
      occurred_at: at,
      rank: frame.action.startsWith('create') ? 0 : 1,
      value: known({ ...head, ...alert.value, body: bodyOf(alert.body) ?? undefined }),
      artifact_refs: webPages(source.html_url, source.external_reference),
      links: [...linksTo('dismissed_by', by), ...commitLink(path, payload.commit_oid, 'found_in')],
    }),
  ];
}

/** Old alerts have no state, but their actions say it. */
function stateOf({ action, type }: Frame, source: Members): string | undefined {
  if (timeOf(source.withdrawn_at) !== undefined) return 'withdrawn';
  const given = nameOf(source.state) ?? nameOf(source.resolution);
  if (given !== undefined) return given;
  if (type.endsWith('_advisory')) return 'published';
  if (action === 'dismiss') return 'dismissed';
  return action === 'resolve' || action === 'resolved' ? 'resolved' : 'open';
}

function numbered(kind: string, alert: Members): string | undefined {
  const number = textOf(alert.number) ?? textOf(alert.id);
  return number === undefined ? undefined : keyOf(kind, number);
}

function codeScanning(alert: Members): Alert | undefined {
  const key = numbered('code-scanning-alert', alert);
  const rule = objectOf(alert.rule);
  const instance = objectOf(alert.most_recent_instance);
  return key === undefined
    ? undefined
    : {
        key,
        title: nameOf(rule.description) ?? nameOf(rule.name) ?? nameOf(rule.id),
        value: known({
          severity: nameOf(rule.security_severity_level) ?? nameOf(rule.severity),
          rule: nameOf(rule.id),
          tool: nameOf(objectOf(alert.tool).name),
          file: nameOf(objectOf(instance.location).path),
          reason: nameOf(alert.dismissed_reason),
        }),
        body: objectOf(instance.message).text ?? rule.full_description,
      };
}

function dependency(alert: Members): Alert | undefined {
  const key = numbered('dependabot-alert', alert);
  const source = objectOf(alert.security_advisory);
  const affected = objectOf(alert.dependency);
  const fault = objectOf(alert.security_vulnerability);
  return key === undefined
    ? undefined
    : {
        key,
        title: nameOf(source.summary),
        value: known({
          severity: nameOf(source.severity),
          package: nameOf(objectOf(affected.package).name),
          manifest: nameOf(affected.manifest_path),
          advisory: nameOf(source.ghsa_id),
          cve: nameOf(source.cve_id),
          affected: nameOf(fault.vulnerable_version_range),
          fixed_in: nameOf(objectOf(fault.first_patched_version).identifier),
          reason: nameOf(alert.dismissed_reason),
        }),
        body: source.description,
      };
}

function secretScanning(alert: Members): Alert | undefined {
  const key = numbered('secret-scanning-alert', alert);
  const kind = nameOf(alert.secret_type_display_name) ?? nameOf(alert.secret_type);
  if (key === undefined) return undefined;
  const title = cutText(`exposed ${kind ?? 'secret'}`, TITLE_CHARACTERS);
  return { key, title, value: known({ validity: nameOf(alert.validity), reason: nameOf(alert.resolution) }) };
}

function vulnerability(alert: Members): Alert | undefined {
  const key = numbered('vulnerability-alert', alert);
  const name = nameOf(alert.affected_package_name);
  const advisoryId = nameOf(alert.ghsa_id) ?? nameOf(alert.external_identifier);
  return key === undefined
    ? undefined
    : {
        key,
        title: cutText(`${name ?? 'a dependency'} is vulnerable: ${advisoryId ?? '?'}`, TITLE_CHARACTERS),
        value: known({
          package: name,
          advisory: advisoryId,
          affected: nameOf(alert.affected_range),
          fixed_in: nameOf(alert.fixed_in),
        }),
      };
}

function advisory(source: Members): Alert | undefined {
  const id = textOf(source.ghsa_id);
  return id === undefined
    ? undefined
    : {
        key: keyOf('advisory', id),
        title: nameOf(source.summary),
        value: known({ cve: nameOf(source.cve_id) }),
        body: source.description,
      };
}
