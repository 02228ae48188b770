/**
 * Schemas of the input of a turn, as it is sent and as the history repeats it.
 */
import { literal, object, type Schema, type Static, string, tagged } from "../../schema/index.ts";
import { orUnknownPart, type UnknownPart } from "../unknown.ts";

const textInput = object({ type: literal("text"), text: string });
export interface TextInput extends Static<typeof textInput> {}
export const TextInput: Schema<TextInput> = textInput;

/** Codex accepts data URLs only. */
const imageInput = object({ type: literal("image"), url: string });
export interface ImageInput extends Static<typeof imageInput> {}
export const ImageInput: Schema<ImageInput> = imageInput;

const localImageInput = object({ type: literal("localImage"), path: string });
export interface LocalImageInput extends Static<typeof localImageInput> {}
export const LocalImageInput: Schema<LocalImageInput> = localImageInput;

const skillInput = object({ type: literal("skill"), name: string, path: string });
export interface SkillInput extends Static<typeof skillInput> {}
export const SkillInput: Schema<SkillInput> = skillInput;

const mentionInput = object({ type: literal("mention"), name: string, path: string });
export interface MentionInput extends Static<typeof mentionInput> {}
export const MentionInput: Schema<MentionInput> = mentionInput;

/** A block of input that this program may send. */
export type SentInput =
  | { readonly type: "text"; readonly text: string; readonly text_elements: readonly never[] }
  | ImageInput
  | LocalImageInput
  | SkillInput;

type KnownInput = TextInput | ImageInput | LocalImageInput | SkillInput | MentionInput;
export type UserInput = KnownInput | UnknownPart;
export const UserInput: Schema<UserInput> = orUnknownPart<KnownInput>(
  tagged("type", {
    text: textInput,
    image: imageInput,
    localImage: localImageInput,
    skill: skillInput,
    mention: mentionInput,
  }),
);
