// Over a page whose session has ended: who was signed in signs in again, and goes on with what was typed.
import { Button, Modal, Stack, Text } from "@mantine/core";
import { keepSession } from "../client/session.js";
import { SignInForm } from "../pages/people/SignInForm.js";

/** Above the questions that are asked above dialogs. */
const ABOVE_QUESTIONS = 400;

export default function SignInAgain({ username }: { readonly username: string }) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Your session has ended"
      size="sm"
      withCloseButton={false}
      zIndex={ABOVE_QUESTIONS}
      overlayProps={{ blur: 8 }}
    >
      <Stack gap="sm">
        <Text fz="sm">What you entered on this page is still there. Sign in again to go on.</Text>
        <SignInForm username={username} />
        <Button variant="subtle" onClick={() => keepSession(null)}>
          Leave the page, or sign in as somebody else
        </Button>
      </Stack>
    </Modal>
  );
}
