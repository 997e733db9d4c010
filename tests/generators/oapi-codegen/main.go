// Calls every operation with the client of oapi-codegen, which parses each response into the type of its status.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"calltransfer/calltransfer"
)

func fail(problem any) {
	fmt.Fprintln(os.Stderr, problem)
	os.Exit(1)
}

// must returns the value, and ends the program if there is an error.
func must[Value any](value Value, err error) Value {
	if err != nil {
		fail(err)
	}
	return value
}

// show prints the operation, the status and what was read from the response.
func show(operation string, response *http.Response, read ...any) {
	fmt.Println(append([]any{operation, response.StatusCode}, read...)...)
}

// showError prints an error response.
func showError(operation string, response *http.Response, problem *calltransfer.ErrorResponse) {
	if problem == nil {
		fail(fmt.Sprint(operation, " was not refused as expected: ", response.Status))
	}
	read := []any{must(problem.Code.AsErrorCode1())}
	if problem.Errors != nil {
		for _, one := range *problem.Errors {
			read = append(read, one.Field, must(one.Code.AsFieldErrorCode1()))
		}
	}
	if problem.Meta != nil && problem.Meta.RetryAfterSecs != nil {
		read = append(read, *problem.Meta.RetryAfterSecs)
	}
	show(operation, response, read...)
}

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("CALL_TRANSFER_API_KEY"))
		return nil
	}
	client := must(calltransfer.NewClientWithResponses(
		os.Getenv("CALL_TRANSFER_BASE_URL"), calltransfer.WithRequestEditorFn(authorize)))
	readAccount(ctx, client)
	createGroups(ctx, client)
	rotateSecret(ctx, client)
	placeCalls(ctx, client)
}

func readAccount(ctx context.Context, client *calltransfer.ClientWithResponses) {
	accounts := must(client.ListAccountsWithResponse(ctx))
	show("listAccounts", accounts.HTTPResponse, accounts.JSON200.Accounts[0].Id)
	refused := must(client.ListAccountsWithResponse(ctx))
	showError("listAccounts", refused.HTTPResponse, refused.JSONDefault)
	for range 2 {
		roles := must(client.ListRolesWithResponse(ctx, nil))
		names := []any{}
		for _, one := range roles.JSON200.Roles {
			names = append(names, must(one.Role.AsRole1()))
		}
		show("listRoles", roles.HTTPResponse, names...)
	}
	for range 2 {
		member := must(client.GetMemberAvailabilityWithResponse(ctx, os.Getenv("MEMBER_ID"), nil))
		status := must(member.JSON200.Status.AsMemberAvailabilityStatus1())
		source := must(member.JSON200.Source.AsMemberAvailabilitySource1())
		show("getMemberAvailability", member.HTTPResponse, status, source)
	}
}

func createGroups(ctx context.Context, client *calltransfer.ClientWithResponses) {
	seconds := 20
	members := []calltransfer.DestinationGroupMember{
		{DestinationId: os.Getenv("APP_ID")},
		{DestinationId: os.Getenv("PHONE_ID"), RingTimeoutSecs: &seconds},
	}
	for _, name := range []string{"Day shift", "Day shift", "Late shift", "Late shift"} {
		body := calltransfer.CreateDestinationGroupRequest{Name: name, Members: members}
		group := must(client.CreateDestinationGroupWithResponse(ctx, nil, body))
		switch {
		case group.JSON201 != nil:
			strategy := must(group.JSON201.Strategy.AsDestinationGroupStrategy1())
			show("createDestinationGroup", group.HTTPResponse, strategy, group.JSON201.TotalTimeoutSecs)
		case group.JSON409 != nil:
			showError("createDestinationGroup", group.HTTPResponse, group.JSON409)
		default:
			showError("createDestinationGroup", group.HTTPResponse, group.JSON400)
		}
	}
}

func rotateSecret(ctx context.Context, client *calltransfer.ClientWithResponses) {
	for range 2 {
		rotated := must(client.RotateDestinationSecretWithResponse(ctx, os.Getenv("APP_ID"), nil))
		show("rotateDestinationSecret", rotated.HTTPResponse, must(rotated.JSON200.Kind.AsTransferDestinationKind1()))
	}
	show("deleteMemberHours", must(client.DeleteMemberHoursWithResponse(ctx, os.Getenv("MEMBER_ID"), nil)).HTTPResponse)
}

func placeCalls(ctx context.Context, client *calltransfer.ClientWithResponses) {
	for range 3 {
		placed := must(client.CreateCallWithResponse(ctx, nil, calltransfer.CreateCallRequest{
			FlowId: os.Getenv("FLOW_ID"), FromNumber: os.Getenv("FROM_NUMBER"), ToNumber: os.Getenv("TO_NUMBER"),
		}))
		switch {
		case placed.JSON201 != nil:
			show("createCall", placed.HTTPResponse, placed.JSON201.Type)
		case placed.JSON202 != nil:
			show("createCall", placed.HTTPResponse, placed.JSON202.Type, placed.JSON202.Position)
		default:
			showError("createCall", placed.HTTPResponse, placed.JSON429)
		}
	}
	limit, start := 2, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	calls := must(client.ListCallsWithResponse(ctx, &calltransfer.ListCallsParams{Limit: &limit, StartDate: &start}))
	show("listCalls", calls.HTTPResponse, len(calls.JSON200.Calls), "of", calls.JSON200.Meta.Total)
}
