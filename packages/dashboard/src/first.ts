/**
 * Loaded in the head before the styles, as a small script of its own: no page flashes in the wrong theme, and the answers
 * that Overview shows are under way while the app is loaded.
 */
import './shell/theme-first.ts';
import { askFirst } from './pages/overview/ask-first.ts';

askFirst();
