import { attachRaw, type OperationName, operations } from '@mem-service/contract';
import { listField } from '@mem-service/sdk';
import type { z } from 'zod';
import { activity } from './activity.ts';
import { crossAgentReads, discovered, memoryGraph } from './agents.ts';
import {
  branchClosed,
  branchCreated,
  branchDescribed,
  branchDetails,
  branchProtected,
  branchReopened,
} from './branches.ts';
import { briefing } from './briefing.ts';
import { caseRun } from './case-runs.ts';
import { type AnswerItem, columnsOf } from './columns.ts';
import { calibration, confidence } from './confidence.ts';
import { connector, connectorList } from './connectors.ts';
import { differences } from './differences.ts';
import { digests } from './digests.ts';
import { deleted, entry, restored, written } from './entry.ts';
import { detected, seeded, summarized } from './evaluation.ts';
import { explain } from './explain.ts';
import { attributed, fix, handedOver } from './failures.ts';
import { neighbors, stated } from './graph.ts';
import { me } from './me.ts';
import { aborted, conflict, conflicts, merged, resolved } from './merges.ts';
import { committed } from './outcome.ts';
import { candidates, consolidated, proposal, proposals } from './proposals.ts';
import {
  checkPosted,
  pullRequest,
  pullRequestChanged,
  pullRequestClosed,
  pullRequestOpened,
  pullRequestReopened,
  reviewed,
} from './pull-requests.ts';
import { influence, underQuarantine } from './quarantine.ts';
import * as recorded from './recorded.ts';
import { diff, facts, verify, verifyAudit, verifyTraces } from './reports.ts';
import { retrieval } from './retrieval.ts';
import { retrieved } from './retrieved.ts';
import { rolledBack } from './rollback.ts';
import { table } from './table.ts';
import { tagCreated, tagDeleted } from './tags.ts';
import type { Screen } from './text.ts';
import { timeline } from './timeline.ts';
import { sealed, trace, traces } from './trace.ts';
import { comparedTraces, foundTraces, outlinedSpans } from './trace-navigation.ts';

export type { AnswerItem } from './columns.ts';
export { eventLine, eventLines } from './event.ts';
export { bytes, counted, duration } from './numbers.ts';
export { outcomeText } from './outcome-name.ts';
export { problemCount } from './reports.ts';
export { reasonText } from './retrieved.ts';
export { panel } from './table.ts';
export { brief, type Colour, clean, cut, fit, pad, paint, type Screen, show, when } from './text.ts';

type RenderAnswer = (item: AnswerItem, screen: Screen) => string;

const renders: Partial<Record<OperationName, RenderAnswer>> = {
  'entries.read': entry,
  'case_runs.create': caseRun,
  'case_runs.read': caseRun,
  'entries.write': written,
  'entries.delete': deleted,
  'entries.restore': restored,
  'entries.diff': diff,
  'entries.verify': verify,
  'entries.retrieve': retrieved,
  'briefing.read': briefing,
  'cortex.activity': activity,
  'retrieval.read': retrieval,
  'retrieval.set': retrieval,
  'entries.confidence': confidence,
  'sessions.record_context': recorded.recordedContext,
  'sessions.record_action': recorded.recordedAction,
  'sessions.record_error': recorded.recordedError,
  'sessions.record_llm_call': recorded.recordedCall,
  'sessions.record_span': recorded.recordedSpan,
  'sessions.set_attributes': recorded.setAttributes,
  'sessions.record_attempt': recorded.closedAttempt,
  'sessions.explain': explain,
  'outcomes.commit': committed,
  'outcomes.calibration': calibration,
  'traces.create': sealed,
  'traces.list': traces,
  'traces.read': trace,
  'traces.verify': verifyTraces,
  'traces.search': foundTraces,
  'traces.list_spans': outlinedSpans,
  'traces.compare': comparedTraces,
  'audit.verify': verifyAudit,
  'graph.neighbors': neighbors,
  'graph.link': stated,
  'agents.timeline': timeline,
  'agents.discover': discovered,
  'agents.memory_graph': memoryGraph,
  'agents.cross_agent_reads': crossAgentReads,
  'agents.recall': entry,
  'agents.read_from': entry,
  'consolidation.run': consolidated,
  'consolidation.proposals': proposals,
  'consolidation.candidates': candidates,
  'consolidation.propose': proposal,
  'consolidation.decide': proposal,
  'digests.list': digests,
  'me.read': me,
  'branches.create': branchCreated,
  'branches.read': branchDetails,
  'branches.update': branchDescribed,
  'branches.protect': branchProtected,
  'branches.unprotect': branchProtected,
  'branches.close': branchClosed,
  'branches.reopen': branchReopened,
  'branches.merge': merged,
  'branches.refresh': merged,
  'entries.cherry_pick': merged,
  'pull_requests.create': pullRequestOpened,
  'pull_requests.read': pullRequest,
  'pull_requests.update': pullRequestChanged,
  'pull_requests.review': reviewed,
  'pull_requests.check': checkPosted,
  'pull_requests.close': pullRequestClosed,
  'pull_requests.reopen': pullRequestReopened,
  'pull_requests.merge': merged,
  'conflicts.list': conflicts,
  'conflicts.read': conflict,
  'conflicts.resolve': resolved,
  'merges.abort': aborted,
  'rollback.run': rolledBack,
  'quarantine.trace': influence,
  'quarantine.create': underQuarantine,
  'judges.seed': seeded,
  'judges.detection_rate': detected,
  'verdicts.summarize': summarized,
  'failures.attribute': attributed,
  'fixes.propose': fix,
  'fixes.read': fix,
  'fixes.approve': fix,
  'fixes.dismiss': fix,
  'fixes.read_handover': handedOver,
  'tags.create': tagCreated,
  'tags.delete': tagDeleted,
  'branches.diff': differences,
  'branches.compare': differences,
  'connectors.list': connectorList,
  'connectors.read': connector,
};

export type RenderedAnswer = {
  /** For standard output. */
  out: string;
  /** For standard error: not part of the answer. */
  note: string;
};

/** Renders an answer for people. */
export function render(name: OperationName, answer: AnswerItem, screen: Screen): RenderedAnswer {
  const own = renders[name];
  const note = moreNote(answer);
  const list = 'has_more' in answer ? listField(name) : undefined;
  const items = list === undefined ? undefined : marked(answer, answer[list] as AnswerItem[]);
  // An empty list of problems is a result.
  if (items?.length === 0 && !('total_checked' in answer) && !answer.entries_found)
    return { out: '', note: `${emptyNote(name, list, answer)}\n${note}` };
  if (own || !items) return { out: (own ?? facts)(answer, screen), note };
  return { out: table(items, columnsOf(name, items, screen), screen), note };
}

/** A history says once that its entry is under quarantine. */
const marked = ({ quarantined }: AnswerItem, items: AnswerItem[]): AnswerItem[] =>
  quarantined === true ? items.map((item) => ({ ...item, quarantined })) : items;

const NO_DIFFERENCES: readonly OperationName[] = ['branches.diff', 'branches.compare'];

function emptyNote(name: OperationName, list: string | undefined, answer: AnswerItem): string {
  if (name === 'rollback.run') return 'nothing to roll back';
  if (!NO_DIFFERENCES.includes(name)) return `no ${list?.replaceAll('_', ' ')}`;
  return answer.hidden ? `no differences but ${answer.hidden} that you may not see` : 'no differences';
}

function moreNote({ has_more, next_cursor, last_seq }: AnswerItem): string {
  if (has_more !== true) return '';
  return `there is more: add --all, or ${next_cursor ? `--cursor ${next_cursor}` : `--after ${last_seq}`}\n`;
}

/** Parses an answer. Values of any shape keep their original text. */
export function readAnswer(name: OperationName, text: string): AnswerItem {
  const answer = JSON.parse(text);
  attachRaw(text, answer, openPaths(operations[name].output));
  return answer;
}

/** The paths of an answer where values of any shape occur. */
function openPaths(schema: z.core.$ZodType): string[][] {
  const { def } = schema._zod;
  const below = (name: string, inner: z.core.$ZodType) => openPaths(inner).map((path) => [name, ...path]);
  if ('innerType' in def) return openPaths(def.innerType as z.core.$ZodType);
  if (def.type === 'unknown') return [[]];
  if (def.type === 'record') return openPaths((def as z.core.$ZodRecordDef).valueType).length > 0 ? [[]] : [];
  if (def.type === 'array') return below('*', (def as z.core.$ZodArrayDef).element);
  if (def.type === 'union') return (def as z.core.$ZodUnionDef).options.flatMap(openPaths);
  if (def.type !== 'object') return [];
  return Object.entries((def as z.core.$ZodObjectDef).shape).flatMap(([name, inner]) => below(name, inner));
}
