import type { ReactNode } from 'react';
import { clockTime, duration } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Inspector } from '../../ui/inspector.tsx';
import { EntryName } from '../../ui/marks.tsx';
import type { Fact } from '../../ui/section.tsx';
import { ReadDetails } from './read-details.tsx';
import { AttemptDetails, OutcomeDetails, SessionDetails } from './session-details.tsx';
import { CallDetails, ContextDetails, ErrorDetails, QueryDetails, SpanDetails, ToolDetails } from './step-details.tsx';
import type { StepRecord, TraceStep, TraceSteps } from './steps.ts';
import type { SealCheck, TraceData } from './use-trace.ts';

const texts = traces.inspector;

type StepInspectorProps = {
  data: TraceData;
  steps: TraceSteps;
  step: TraceStep;
  seal: SealCheck | undefined;
  onClose?: () => void;
};

/** One step with all that was recorded of it. */
export function StepInspector({ data, steps, step, seal, onClose }: StepInspectorProps) {
  const { of, name } = step;
  const title =
    of.kind === 'read' ? <EntryName path={of.read.entity_path} name={of.read.key} /> : <span title={name}>{name}</span>;
  return (
    <Inspector label={`${texts.step}: ${name}`} title={title} {...(onClose ? { onClose } : {})}>
      {of.kind === 'root' ? <SessionDetails data={data} seal={seal} /> : detailsOf(of, data, whenOf(step, steps))}
    </Inspector>
  );
}

function whenOf({ of, at, ms }: TraceStep, { from }: TraceSteps): Fact {
  const took = ms === undefined ? '' : duration(ms);
  const value = texts.at(texts.kinds[of.kind], took, at === undefined ? '' : sinceStart(at - from));
  return { name: texts.step, value: at === undefined ? value : <span title={clockTime(at)}>{value}</span> };
}

/** 0:06 */
function sinceStart(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function detailsOf(of: Exclude<StepRecord, { kind: 'root' }>, data: TraceData, when: Fact): ReactNode {
  switch (of.kind) {
    case 'attempt':
      return <AttemptDetails attempt={of.attempt} data={data} when={when} />;
    case 'outcome':
      return <OutcomeDetails data={data} when={when} />;
    case 'read':
      return <ReadDetails data={data} read={of.read} when={when} />;
    case 'query':
      return <QueryDetails query={of.query} when={when} />;
    case 'tool':
      return <ToolDetails call={of.call} when={when} />;
    case 'llm':
      return <CallDetails call={of.call} span={of.span} when={when} />;
    case 'error':
      return <ErrorDetails error={of.error} when={when} />;
    case 'context':
      return <ContextDetails context={of.context} when={when} />;
    default:
      return <SpanDetails span={of.span} when={when} />;
  }
}
