import { type Handler, maybeLarge, prepares } from '../../kernel/index.ts';
import { authorOf } from '../entries/index.ts';
import { isLargeSession } from '../sessions/index.ts';
import { prepareRedactions } from '../traces/index.ts';
import { commitTogether } from './commit.ts';

/** A long session is sealed off the main thread: the commit alone would take long. */
const sealsMuch: NonNullable<Handler<'outcomes.commit'>['isLarge']> = ({ database }, input, caller) => {
  if (database.dialect.engine !== 'sqlite') return undefined;
  const { agent_id, session } = authorOf(input, caller);
  const { account_id } = caller;
  return isLargeSession(database.forAccount(account_id).read, { account_id, agent_id, session });
};

export const commit = maybeLarge<'outcomes.commit'>(
  sealsMuch,
  prepares((_, input) => prepareRedactions(input), commitTogether),
);
