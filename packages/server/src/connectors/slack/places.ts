import { type Members, objectOf, textOf } from '../members.ts';
import { personNode } from '../references.ts';
import { cutText, pathSegment } from '../text.ts';

const ROOT_PATH = 'comms/slack';
const NAME_CHARACTERS = 200;

/**
 * The id of the channel that something is about. Its name is taken only where no id is sent: most events have no name, and
 * a name can change, so that one channel would have several paths.
 */
export function channelOf(event: Members): string | undefined {
  const item = objectOf(event.item);
  const channel = objectOf(event.channel);
  const name =
    textOf(event.channel) ??
    textOf(event.channel_id) ??
    textOf(channel.id) ??
    textOf(item.channel) ??
    textOf(event.channel_name) ??
    textOf(channel.name);
  return name === undefined ? undefined : cutText(name, NAME_CHARACTERS);
}

/** Without a channel, the path of all channels. */
export const channelPath = (channel: string | undefined): string =>
  channel === undefined ? ROOT_PATH : `${ROOT_PATH}/${pathSegment(channel)}`;

export const person = (id: string): string => personNode('slack', id);
