import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { useCommands } from '../../shell/commands.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { negotiations as texts } from '../../texts/negotiations.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag, type Tone } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { AnswerNegotiation, CancelNegotiation } from './negotiation-dialogs.tsx';
import styles from './rooms.module.css';

export type WholeNegotiation = Output<'negotiations.read'>;
type NegotiationStep = WholeNegotiation['steps'][number];
type Participant = WholeNegotiation['participants'][number];

export const NEGOTIATION_TONES: Record<WholeNegotiation['status'], Tone> = {
  open: 'warn',
  agreed: 'good',
  rejected: 'bad',
  timed_out: 'mute',
  cancelled: 'mute',
};
const ANSWER_TONES = { accept: 'good', reject: 'bad', abstain: 'mute' } as const;

type NegotiationProps = { roomId: string; negotiationId: string; me: string };

/** One negotiation: who takes part with which answer, and its steps, the newest first. */
export function Negotiation({ roomId, negotiationId, me }: NegotiationProps) {
  const call = { name: 'negotiations.read', input: { room_id: roomId, negotiation_id: negotiationId } } as const;
  const answer = useOperation(call.name, call.input);
  const [dialog, setDialog] = useState<'answer' | 'cancel'>();
  const close = () => setDialog(undefined);
  const negotiation = answer.data;
  const isOpen = negotiation?.status === 'open';
  const takesPart = isOpen && negotiation.participants.some(({ agent }) => agent === me);
  useCommands([
    ...(takesPart
      ? [{ id: 'answer', label: texts.answer, keys: 'a', group: 'page' as const, run: () => setDialog('answer') }]
      : []),
    ...(isOpen ? [{ id: 'cancel-negotiation', label: texts.cancel, run: () => setDialog('cancel') }] : []),
  ]);
  return (
    <Section
      title={negotiation?.title ?? texts.one}
      actions={
        <>
          {takesPart && (
            <Button kind="ink" onClick={() => setDialog('answer')}>
              {texts.answer}
            </Button>
          )}
          {isOpen && <Button onClick={() => setDialog('cancel')}>{texts.cancel}</Button>}
          <CopyAs call={call} />
        </>
      }
    >
      <Loaded answer={answer} call={call} rows={3}>
        {(whole) => <Steps whole={whole} />}
      </Loaded>
      {dialog === 'answer' && negotiation && <AnswerNegotiation negotiation={negotiation} me={me} onClose={close} />}
      {dialog === 'cancel' && negotiation && <CancelNegotiation negotiation={negotiation} onClose={close} />}
    </Section>
  );
}

function Steps({ whole }: { whole: WholeNegotiation }) {
  const { description, steps, status, waiting_for, participants, round, max_rounds, deadline_at, truncated } = whole;
  return (
    <div className={styles.steps}>
      <p className={`${styles.messageHead} second small`}>
        <Tag tone={NEGOTIATION_TONES[status]}>{texts.statusOf[status]}</Tag>
        <span>{texts.inRound(round, max_rounds)}</span>
        {status === 'open' && deadline_at !== null && (
          <time dateTime={deadline_at} title={fullTimeOf(deadline_at)}>
            {texts.until(dayAndTime(deadline_at))}
          </time>
        )}
      </p>
      {description !== '' && <p className={`${styles.content} prose`}>{description}</p>}
      <ul className={styles.answers} aria-label={texts.participants}>
        {participants.map((participant) => (
          <li key={participant.agent} className={styles.messageHead}>
            <span>{participant.agent}</span>
            <Answer participant={participant} isAuthor={whole.proposal?.agent === participant.agent} />
          </li>
        ))}
      </ul>
      {status === 'open' && waiting_for.length > 0 && (
        <p className="second">{texts.waitingFor(waiting_for.join(', '))}</p>
      )}
      {steps.length === 0 && <p className="third">{texts.noSteps}</p>}
      <ol className={styles.messages} aria-label={texts.steps}>
        {steps.map((step) => (
          <Step key={step.no} step={step} />
        ))}
      </ol>
      {truncated && <p className="third small">{texts.truncated}</p>}
    </div>
  );
}

/** How one stands to the newest proposal. */
function Answer({ participant: { answer, has_left }, isAuthor }: { participant: Participant; isAuthor: boolean }) {
  if (has_left) return <span className="third small">{texts.hasLeft}</span>;
  if (isAuthor) return <span className="third small">{texts.isAuthor}</span>;
  if (answer === null) return <span className="third small">{texts.noAnswer}</span>;
  return <Tag tone={ANSWER_TONES[answer]}>{texts.answers[answer]}</Tag>;
}

function Step({ step: { round, agent, action, proposal, rationale, created_at } }: { step: NegotiationStep }) {
  return (
    <li className={styles.message}>
      <div className={styles.messageHead}>
        <span className="strong">{agent}</span>
        <span className="second">{texts.actions[action]}</span>
        <span className="third small">{texts.ofRound(round)}</span>
        <time className="third small" dateTime={created_at} title={fullTimeOf(created_at)}>
          {dayAndTime(created_at)}
        </time>
      </div>
      {rationale !== '' && <p className={`${styles.content} prose`}>{rationale}</p>}
      {proposal !== null && <Code label={texts.proposal} text={JSON.stringify(proposal, null, 2)} wrap json />}
    </li>
  );
}
